import { cleanText } from '#core/text/clean-text'

/** Longest name of a file, code points. */
const MAX_NAME_CHARS = 400
/** Lines around a change. */
const CONTEXT = 2
/** Larger parts are shown as removed and added, because comparing them takes time. */
const MAX_CELLS = 1_000_000
/** Of a longer line only the part around the change is shown. */
const MAX_LINE_CHARS = 400
const NEAR_CHARS = 60

type Line = { sign: ' ' | '-' | '+'; text: string }

/** The name of a file on one line; one with line ends could pretend to be a part of the difference. */
export function shownName(path: string): string {
  return cleanText(path, MAX_NAME_CHARS)
}

/** The difference of two texts as `diff -u` shows it, without numbers of lines. */
export function diffText(path: string, before: string | null, after: string): string {
  const lines = compared(before === null ? [] : linesOf(before), linesOf(after))
  const shown = lines.map((_, i) =>
    lines.slice(Math.max(0, i - CONTEXT), i + CONTEXT + 1).some(({ sign }) => sign !== ' '),
  )
  const body = lines.flatMap((line, i) => {
    if (!shown[i]) return []
    const gap = i > 0 && !shown[i - 1] ? ['@@'] : []
    return [...gap, line.sign + shortened(line, lines)]
  })
  const name = shownName(path)
  return [before === null ? '--- (new file)' : `--- ${name}`, `+++ ${name}`, ...body].join('\n')
}

/** CR at the end of a line would move the cursor. Both texts have it. */
function linesOf(text: string): string[] {
  const lines = text.split('\n').map(line => line.replace(/\r$/, ''))
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

function compared(before: readonly string[], after: readonly string[]): Line[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let end = 0
  const rest = Math.min(before.length, after.length) - start
  while (end < rest && before.at(-1 - end) === after.at(-1 - end)) end++
  const same = (lines: readonly string[]): Line[] => lines.map(text => ({ sign: ' ', text }))
  return [
    ...same(before.slice(0, start)),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...same(end === 0 ? [] : before.slice(-end)),
  ]
}

/** By the longest common lines. */
function middle(before: readonly string[], after: readonly string[]): Line[] {
  const removed = before.map((text): Line => ({ sign: '-', text }))
  const added = after.map((text): Line => ({ sign: '+', text }))
  if (before.length * after.length === 0 || before.length * after.length > MAX_CELLS)
    return [...removed, ...added]
  const lengths = Array.from({ length: before.length + 1 }, () => new Array<number>(after.length + 1).fill(0))
  const at = (i: number, j: number) => lengths[i]?.[j] ?? 0
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      (lengths[i] as number[])[j] =
        before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const lines: Line[] = []
  let [i, j] = [0, 0]
  while (i < before.length || j < after.length) {
    if (i < before.length && before[i] === after[j]) {
      lines.push({ sign: ' ', text: before[i] as string })
      i++
      j++
    } else if (i < before.length && (j === after.length || at(i + 1, j) >= at(i, j + 1)))
      lines.push(removed[i++] as Line)
    else lines.push(added[j++] as Line)
  }
  return lines
}

/** Of a long line, as in a minified page, the place where it differs from the one beside it. */
function shortened({ sign, text }: Line, lines: readonly Line[]): string {
  if (text.length <= MAX_LINE_CHARS) return text
  if (sign === ' ') return `${text.slice(0, MAX_LINE_CHARS)}…`
  const other = lines.find(line => line.sign !== ' ' && line.sign !== sign)?.text ?? ''
  let at = 0
  while (at < text.length && text[at] === other[at]) at++
  const start = Math.max(0, at - NEAR_CHARS)
  return `…${text.slice(start, start + MAX_LINE_CHARS)}…`
}
