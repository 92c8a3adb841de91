/**
 * A group that a share link shows has at least so many people. Five is usual for published statistics: of
 * fewer, one who knows the others learns the rest. An event without a user belongs to nobody, so a group of
 * such events alone has no people.
 */
export const FEWEST_PEOPLE = 5

/** The warning of a response whose groups are folded. */
export const FOLDED =
  'A share link shows no group of fewer than five people. Their events are in `other`, and so is the smallest of the other groups, so that `other` has five people too.'
/** The warning of a response without anything, also when nobody matches. */
export const NOTHING =
  'Fewer than five people match, or the filters cut a group that a share link does not show, so it shows nothing of them. Filter by a value that its lists show.'
/** The warning of a response with sums that are not shown. */
export const NO_SUMS =
  'A share link shows `sum` and `avg` only where each date, before today, and each group has numbers of at least five people or of nobody. Name whole past dates, and fewer filters or groups.'

export type Folded<T> = { shown: T[]; folded: T[] }

/**
 * Takes the groups of fewer than FEWEST_PEOPLE out of a list. Totals stay as they are, so what is left of
 * them is the sum of the folded groups: it must not be about fewer people either. So the shown group with the
 * fewest people is folded too, unless the others surely have enough. `rest`: people of groups that the list
 * does not name, any positive number if it is not known. `areDisjoint`: nobody is in two groups, and `rest`
 * is exact. Of groups that are as small, the first one is folded: the order must not depend on the question.
 */
export function foldGroups<T>(
  groups: readonly T[],
  peopleOf: (group: T) => number,
  { rest = 0, areDisjoint = false }: { rest?: number; areDisjoint?: boolean } = {},
): Folded<T> {
  const { small = [], enough = [] } = Object.groupBy(groups, group =>
    peopleOf(group) < FEWEST_PEOPLE ? 'small' : 'enough',
  )
  if (small.length === 0 && rest <= 0) return { shown: enough, folded: [] }
  const certain = areDisjoint ? small.reduce((sum, group) => sum + peopleOf(group), rest) : 0
  if (certain >= FEWEST_PEOPLE) return { shown: enough, folded: small }
  const smallest = enough.toSorted((a, b) => peopleOf(a) - peopleOf(b)).slice(0, 1)
  return { shown: enough.filter(group => !smallest.includes(group)), folded: [...small, ...smallest] }
}
