from evoply.evolution.breeding.offspring import Breeder as Breeder
from evoply.evolution.breeding.offspring import Offspring as Offspring
from evoply.evolution.breeding.offspring import breed as breed
from evoply.evolution.breeding.offspring import draw_operator as draw_operator
from evoply.evolution.breeding.offspring import first_population as first_population
from evoply.evolution.breeding.offspring import offspring_of as offspring_of
