import { parse } from '@babel/parser'
import type { SourceFile } from '#scripts/imports'

/** A regular expression of a source. */
export type Expression = {
  file: string
  line: number
  /** As the source has it. */
  code: string
  /** The part between the slashes; `1` stands for values of a template. Null: only known at run time. */
  source: string | null
  flags: string
  /** Made by `RegExp`, not a literal. */
  isBuilt: boolean
}

/** Other folders are tests, or make documents and figures from files of this repository alone. */
const PRODUCT =
  /^(aws|bin|cli|core|dashboard|duckdb|lambdas|lib|local|providers|replay|scanner|schemas|tracker)\/(?!build\.ts$)/
/** Without any of these a source has no regular expression; most have none, and parsing takes the time. */
const MAY_HAVE = /(?<![\w)\]*/<])\/(?![/*\s])|\bRegExp\b/

/** A node of Babel's syntax tree. */
type Node = { type: string; start: number; end: number; loc: { start: { line: number } } } & Record<
  string,
  unknown
>

/** Every regular expression that reads texts while the product runs. */
export function expressionsIn(files: readonly SourceFile[]): Expression[] {
  return files
    .filter(({ path, text }) => PRODUCT.test(path) && !path.endsWith('.d.ts') && MAY_HAVE.test(text))
    .flatMap(expressionsOf)
}

function expressionsOf({ path, text }: SourceFile): Expression[] {
  const plugins = path.endsWith('x') ? (['typescript', 'jsx'] as const) : (['typescript'] as const)
  const { program } = parse(text, { sourceType: 'module', plugins: [...plugins] })
  return nodesOf(program as unknown as Node).flatMap(node => {
    const place = { file: path, line: node.loc.start.line, code: text.slice(node.start, node.end) }
    if (node.type === 'RegExpLiteral')
      return { ...place, source: node.pattern as string, flags: node.flags as string, isBuilt: false }
    const isCall = node.type === 'NewExpression' || node.type === 'CallExpression'
    if (!isCall || (node.callee as Node).name !== 'RegExp') return []
    const [source, flags] = node.arguments as Node[]
    return { ...place, source: textOf(source), flags: textOf(flags) ?? '', isBuilt: true }
  })
}

function textOf(node: Node | undefined): string | null {
  if (node?.type === 'StringLiteral') return node.value as string
  if (node?.type !== 'TemplateLiteral') return null
  return (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join('1')
}

function nodesOf(node: Node): Node[] {
  const children = Object.values(node).flat().filter(isNode)
  return [node, ...children.flatMap(nodesOf)]
}

function isNode(value: unknown): value is Node {
  return typeof (value as Node | null)?.type === 'string' && 'loc' in (value as Node)
}
