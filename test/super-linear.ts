import { type AST, RegExpParser, visitRegExpAST } from '@eslint-community/regexpp'
import type { Alternation, CharacterClass, Concatenation, Element, Expression, Quantifier } from 'refa'
import {
  CharSet,
  CombinedTransformer,
  isDisjointWith,
  JS,
  NFA,
  type NoParent,
  Transformers,
  transform,
} from 'refa'
import { analyse } from 'scslre'
import { ambiguousLoops } from './ambiguous-loops.ts'

/**
 * A counted repetition of this many characters or more is judged like one without an end: `{0,2000}` at each
 * of a million characters is two billion steps.
 */
const LONG_REPETITION = 100

/**
 * Why the time of a regular expression can grow faster than the text; empty: it cannot. Three kinds:
 *
 * - within one attempt, repetitions that share characters (`a*a*b`, `(a*)*b`): scslre finds these.
 * - alternatives of one repetition that share texts (`(a|a)*b`, `(ab|a|b)*c`): test/ambiguous-loops.ts.
 * - between attempts, a repetition that reads the same characters again from each start (`\s+$`,
 *   `<!--[^]*?-->` on `<!--<!--<!--`): scslre finds only those at the start of an expression, the rest is
 *   found here. Let P be what stands before a repetition Q, and S what stands after it. If S may fail, and P
 *   Q* matches from the middle of a text of Q+, then each repeat of that text starts an attempt that runs to
 *   the end. Assertions around P count, so `(?<!\s)\s+$` and `^\s+x` are fine.
 *
 * Where it cannot decide (assertions in the middle), it rather reports. It throws for a reference to a group,
 * which no automaton has.
 */
export function superLinearParts(source: string, flags: string): string[] {
  const literal = { source: withoutLongCounts(source, flags), flags }
  return [...new Set([...slowAttempts(literal), ...ambiguousLoops(literal), ...slowRestarts(literal)])]
}

function slowAttempts(literal: JS.Literal): string[] {
  return analyse(literal).reports.map(report =>
    report.type === 'Move'
      ? `${report.quant.raw} begins again at each character`
      : report.type === 'Self'
        ? `${report.quant.raw} repeats what repeats itself`
        : `${report.startQuant.raw} and ${report.endQuant.raw} may share characters`,
  )
}

function slowRestarts(literal: JS.Literal): string[] {
  // A sticky expression has one attempt.
  if (literal.flags.includes('y')) return []
  const parser = JS.Parser.fromLiteral(literal)
  const found: string[] = []
  visitRegExpAST(parser.ast.pattern, {
    onQuantifierEnter(quantifier) {
      if (quantifier.max === Number.POSITIVE_INFINITY && canRestart(parser, quantifier))
        found.push(`${quantifier.raw} begins again inside of its own match`)
    },
  })
  return found
}

function canRestart(parser: JS.Parser, quantifier: AST.Quantifier): boolean {
  const parsed = (element: AST.Element) =>
    alternation(parser.parseElement(element, { assertions: 'parse' }).expression)
  const { maxCharacter } = parser
  const any: NoParent<CharacterClass> = { type: 'CharacterClass', characters: CharSet.all(maxCharacter) }
  const { before, mayFail, isBehind } = surroundings(quantifier, parsed)
  if (!mayFail) return false
  // Matched from its end to its start.
  if (isBehind) return true
  const isOneCharacter = /^Character/.test(quantifier.element.type)
  const lead = isOneCharacter ? parsed(quantifier.element) : repeated(alternation(sequence(any)), 1)
  const restarted = [lead, ...before, repeated(parsed(quantifier.element), 1)]
  const run = [repeated(parsed(quantifier.element), 1)]
  return !isDisjointWith(automaton(restarted), automaton(run))

  function automaton(elements: NoParent<Element>[]): NFA {
    const { inline, applyAssertions, removeDeadBranches, unionCharacters } = Transformers
    const rules = [inline(), applyAssertions(), removeDeadBranches(), unionCharacters()]
    const expression = transform(new CombinedTransformer(rules), sequence(...elements))
    return NFA.fromRegex(expression.alternatives, { maxCharacter }, { assertions: 'ignore' })
  }
}

/** What stands before a repetition, and whether what stands after it may fail. */
function surroundings(
  quantifier: AST.Quantifier,
  parsed: (element: AST.Element) => NoParent<Alternation>,
): { before: NoParent<Element>[]; mayFail: boolean; isBehind: boolean } {
  const readsAll = /^(\[\\s\\S\]|\[\\S\\s\]|\[\^\])$/.test(quantifier.element.raw)
  const before: NoParent<Element>[] = []
  let mayFail = false
  for (let node: AST.Node = quantifier; node.parent; node = node.parent) {
    const parent = node.parent as AST.Node
    if (parent.type === 'Alternative') {
      const at = parent.elements.indexOf(node as AST.Element)
      before.unshift(...parent.elements.slice(0, at).map(parsed))
      mayFail ||= !parent.elements.slice(at + 1).every(element => matchesNothing(element, readsAll))
    } else if (parent.type === 'Quantifier' && parent.max > 1) {
      before.unshift(repeated(parsed(parent.element), 0))
    } else if (parent.type === 'Assertion') {
      if (parent.kind === 'lookbehind') return { before, mayFail: true, isBehind: true }
      // It takes no characters, so the next attempt reads them again although it has matched.
      mayFail = true
    }
  }
  return { before, mayFail, isBehind: false }
}

/** Whether an element always matches, be it nothing; `atEnd`: where the text ends. */
function matchesNothing(element: AST.Element, atEnd: boolean): boolean {
  switch (element.type) {
    case 'Quantifier':
      return element.min === 0 || matchesNothing(element.element, atEnd)
    case 'Group':
    case 'CapturingGroup':
      return element.alternatives.some(({ elements }) => elements.every(each => matchesNothing(each, atEnd)))
    case 'Assertion':
      return atEnd && element.kind === 'end'
    default:
      return false
  }
}

/** The same expression, with `{2,}` for `{2,2000}`. */
function withoutLongCounts(source: string, flags: string): string {
  const modes = { unicode: flags.includes('u'), unicodeSets: flags.includes('v') }
  const counts: [start: number, end: number, count: string][] = []
  visitRegExpAST(new RegExpParser().parsePattern(source, 0, source.length, modes), {
    onQuantifierEnter({ element, min, max, end, greedy }) {
      if (Number.isFinite(max) && max >= LONG_REPETITION)
        counts.push([element.end, end, `{${Math.min(min, 2)},}${greedy ? '' : '?'}`])
    },
  })
  return counts
    .toSorted(([a], [b]) => b - a)
    .reduce((text, [start, end, count]) => text.slice(0, start) + count + text.slice(end), source)
}

function sequence(...elements: NoParent<Element>[]): NoParent<Expression> {
  const concatenation: NoParent<Concatenation> = { type: 'Concatenation', elements }
  return { type: 'Expression', alternatives: [concatenation] }
}

function alternation({ alternatives }: NoParent<Expression>): NoParent<Alternation> {
  return { type: 'Alternation', alternatives }
}

function repeated({ alternatives }: NoParent<Alternation>, min: number): NoParent<Quantifier> {
  return { type: 'Quantifier', min, max: Number.POSITIVE_INFINITY, lazy: false, alternatives }
}
