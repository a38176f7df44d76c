//! Sorting what is rare, compiled once: places are sorted, whatever stands there, instead of a sort for every type of every game.

use std::cmp::Ordering;

/// The places of so many things in an order; of equal ones the first comes first.
pub fn places_in_order(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).collect();
    places.sort_by(|&one, &other| compare(one, other));
    places
}

/// Sort a few things; of equal ones the first stays first.
pub fn sort_few<T: Copy>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let places = places_in_order(items.len(), &|one, other| compare(&items[one], &items[other]));
    let sorted: Vec<T> = places.into_iter().map(|place| items[place]).collect();
    items.copy_from_slice(&sorted);
}

#[cfg(test)]
mod tests {
    use super::{places_in_order, sort_few};

    #[test]
    fn equal_ones_stay_in_their_order() {
        let mut items = [(2, 'a'), (1, 'b'), (2, 'c'), (1, 'd'), (0, 'e')];
        let places = places_in_order(items.len(), &|one, other| items[one].0.cmp(&items[other].0));
        assert_eq!(places, [4, 1, 3, 0, 2]);
        sort_few(&mut items, |one, other| one.0.cmp(&other.0));
        assert_eq!(items.map(|item| item.1), ['e', 'b', 'd', 'a', 'c']);
    }
}
