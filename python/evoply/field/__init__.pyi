from evoply.field import gymnasium as gymnasium
from evoply.field import openspiel as openspiel
from evoply.field import pettingzoo as pettingzoo
