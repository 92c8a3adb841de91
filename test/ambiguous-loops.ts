import type { Concatenation, Node, Quantifier } from 'refa'
import { type CharSet, JS, type NoParent } from 'refa'

/** The places of a pattern that take a character, and which may follow each (Glushkov's automaton). */
type Places = { sets: CharSet[]; next: Set<number>[] }
/** Of a part: the places at its start and at its end, and whether it matches nothing too. */
type Part = { first: number[]; last: number[]; isEmpty: boolean }
type Tree = NoParent<Node>

/**
 * Repetitions that can read one text in two ways, so that n such texts have 2^n ways: a place from which two
 * different places are reached by the same characters, and which both reach again. `{1,9}` is read
 * as `{1,}` and `{9}` as `{2}`, and assertions as nothing, so it rather reports.
 */
export function ambiguousLoops(literal: JS.Literal): string[] {
  const { expression } = JS.Parser.fromLiteral(literal).parse({
    backreferences: 'unknown',
    assertions: 'parse',
  })
  return [expression, ...assertionsOf(expression)].some(tree => isAmbiguous(placesOf(tree)))
    ? ['a repetition can read one text in two ways']
    : []
}

function isAmbiguous({ sets, next }: Places): boolean {
  const reached = next.map((_, place) => reach([place], each => next[each] ?? []))
  const inLoop = (a: number, b: number) => reached[a]?.has(b) && reached[b]?.has(a)
  // Pairs of places that two ways are at after the same characters, while both stay in the loop of `home`.
  const pairsAfter = (home: number) => (pair: string) => {
    const [a = 0, b = 0] = pair.split(' ').map(Number)
    return [...(next[a] ?? [])].flatMap(c =>
      [...(next[b] ?? [])]
        .filter(d => inLoop(home, c) && inLoop(home, d) && !sets[c]?.isDisjointWith(sets[d] as CharSet))
        .map(d => `${c} ${d}`),
    )
  }
  return sets.some((_, home) => {
    if (!inLoop(home, home)) return false
    const parted = [...reach([`${home} ${home}`], pairsAfter(home))].filter(isParted)
    return parted.some(pair => reach([pair], pairsAfter(home)).has(`${home} ${home}`))
  })
}

function isParted(pair: string): boolean {
  const [a, b] = pair.split(' ')
  return a !== b
}

/** What the steps lead to; the start only if a way leads back. */
function reach<T>(start: readonly T[], step: (from: T) => Iterable<T>): Set<T> {
  const found = new Set<T>()
  const open = [...start]
  for (let from = open.pop(); from !== undefined; from = open.pop())
    for (const to of step(from)) {
      if (found.has(to)) continue
      found.add(to)
      open.push(to)
    }
  return found
}

function placesOf(tree: Tree): Places {
  const sets: CharSet[] = []
  const next: Set<number>[] = []
  walk(tree)
  return { sets, next }

  function walk(node: Tree): Part {
    switch (node.type) {
      case 'CharacterClass': {
        const place = sets.push(node.characters) - 1
        next.push(new Set())
        return { first: [place], last: [place], isEmpty: false }
      }
      case 'Concatenation':
        return node.elements.map(walk).reduce(joined, { first: [], last: [], isEmpty: true })
      case 'Expression':
      case 'Alternation':
        return eitherOf(node.alternatives)
      case 'Quantifier':
        return repeated(node)
      default:
        return { first: [], last: [], isEmpty: true }
    }
  }

  function eitherOf(alternatives: readonly NoParent<Concatenation>[]): Part {
    const parts = alternatives.map(walk)
    return {
      first: parts.flatMap(({ first }) => first),
      last: parts.flatMap(({ last }) => last),
      isEmpty: parts.some(({ isEmpty }) => isEmpty),
    }
  }

  function repeated({ alternatives, min, max }: NoParent<Quantifier>): Part {
    const part = eitherOf(alternatives)
    const isCounted = max > 1 && Number.isFinite(max)
    const rest = isCounted ? eitherOf(alternatives) : part
    if (max > 1 && min < max) connect(rest.last, rest.first)
    const whole = isCounted ? joined(part, { ...rest, isEmpty: rest.isEmpty || min < 2 }) : part
    return { ...whole, isEmpty: whole.isEmpty || min === 0 }
  }

  function joined(a: Part, b: Part): Part {
    connect(a.last, b.first)
    return {
      first: a.isEmpty ? [...a.first, ...b.first] : a.first,
      last: b.isEmpty ? [...a.last, ...b.last] : b.last,
      isEmpty: a.isEmpty && b.isEmpty,
    }
  }

  function connect(from: readonly number[], to: readonly number[]): void {
    for (const place of from) for (const other of to) next[place]?.add(other)
  }
}

/** The assertions in a tree, each of which is matched on its own. */
function assertionsOf(tree: Tree): Tree[] {
  const children: readonly Tree[] =
    'alternatives' in tree ? tree.alternatives : 'elements' in tree ? tree.elements : []
  const own: Tree[] =
    tree.type === 'Assertion' ? [{ type: 'Expression', alternatives: tree.alternatives }] : []
  return [...own, ...children.flatMap(assertionsOf)]
}
