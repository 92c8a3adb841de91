import { globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { parse } from '@babel/parser'

/**
 * Finds the texts that clients can read in `message` of an error: they are arguments of ApiError and its
 * helpers, hints of schemas/errors.ts, and messages of zod schemas. A part that is known only at run time
 * becomes `{}`.
 */
export type ClientMessage = {
  /** `path:line` */
  place: string
  /** null: the text is not in the sources. */
  text: string | null
  /** The expression, as the source has it. */
  code: string
}

const ROOMS = ['schemas', 'core', 'scanner', 'aws', 'duckdb', 'lambdas', 'local']

/** The arguments that are messages, by the name of the function or class. */
const MESSAGE_ARGUMENTS: Record<string, readonly number[]> = {
  ...{ ApiError: [1], unavailable: [0], toApiError: [1] },
  // Of the command line.
  usage: [0, 1],
}

/**
 * The argument that is the message, by the name of the method of zod. Only the files of schemas/ use zod for
 * clients.
 */
const ZOD_ARGUMENT: Record<string, number> = {
  ...{ string: 0, number: 0, int: 0, boolean: 0, email: 0, url: 0 },
  ...{ array: 1, enum: 1, union: 1, strictObject: 1, regex: 1, min: 1, max: 1, length: 1, refine: 1 },
}

/** Tables by the intents of visitors, of which one is `message`. */
const BY_INTENT = /^scanner\/(read\/words|advise)\//

/** Properties that hold a message, in any object. */
const MESSAGE_PROPERTIES = ['hint', 'message', 'suggested_action']
/** There `message` is a goal of visitors, and its text the words of pages. */
const GOALS_OF_VISITORS = /^scanner\/(read\/words\/|advise\/experiments\.ts$)/

/** A node of Babel's syntax tree. */
type Node = { type: string; start: number; end: number; loc: { start: { line: number } } } & Record<
  string,
  unknown
>

type Source = {
  path: string
  text: string
  nodes: Node[]
  /** The expressions of each constant, and the results of each function, by name. */
  definitions: Map<string, Node[]>
  /** The file and the name there of each import. */
  imports: Map<string, { path: string; name: string }>
}

export function clientMessagesBelow(root: string, rooms = ROOMS): ClientMessage[] {
  const paths = rooms
    .flatMap(room => globSync(`${room}/**/*.ts`, { cwd: root }))
    .filter(path => !BY_INTENT.test(path))
  const sources = new Map(paths.map(path => [path, readSource(path, readFileSync(join(root, path), 'utf8'))]))
  return [...sources.values()].flatMap(source => messagesOf(source, sources))
}

/** The messages of one source that imports nothing, for tests of this module. */
export function clientMessagesIn(path: string, text: string): ClientMessage[] {
  const source = readSource(path, text)
  return messagesOf(source, new Map([[path, source]]))
}

function messagesOf(source: Source, sources: ReadonlyMap<string, Source>): ClientMessage[] {
  return source.nodes.flatMap(node => {
    const properties = GOALS_OF_VISITORS.test(source.path) ? [] : messageProperties(node)
    const read = (message: Node) =>
      textsOf(message, source, sources).map(text => ({
        place: `${source.path}:${message.loc.start.line}`,
        text,
        code: source.text.slice(message.start, message.end),
      }))
    return [
      ...messageArguments(node, source.path).flatMap(read),
      // A property may hold the message of another error, which is in the list by itself.
      ...properties.flatMap(read).filter(({ text }) => text !== null),
    ]
  })
}

function messageProperties(node: Node): Node[] {
  if (node.type !== 'ObjectExpression') return []
  return (node.properties as (Node & { key?: Node; value?: Node })[]).flatMap(({ key, value }) =>
    value !== undefined && MESSAGE_PROPERTIES.includes(String(key?.name)) ? [value] : [],
  )
}

/** Returns the arguments of a call that are messages for clients. */
function messageArguments(node: Node, path: string): Node[] {
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return []
  const { callee, arguments: args } = node as Node & { callee: Node; arguments: Node[] }
  const name = callee.type === 'Identifier' ? String(callee.name) : ''
  if (Object.hasOwn(MESSAGE_ARGUMENTS, name))
    return MESSAGE_ARGUMENTS[name]?.flatMap(i => args[i] ?? []) ?? []
  const method = callee.type === 'MemberExpression' ? String((callee.property as Node).name) : ''
  if (!path.startsWith('schemas/') || !Object.hasOwn(ZOD_ARGUMENT, method)) return []
  const argument = args[ZOD_ARGUMENT[method] ?? 0]
  // An object of options has its message as a property.
  return argument === undefined || argument.type === 'ObjectExpression' ? [] : [argument]
}

/** Returns every text that the expression can have. */
function textsOf(
  node: Node,
  source: Source,
  sources: ReadonlyMap<string, Source>,
  depth = 0,
): (string | null)[] {
  const read = (part: unknown) => textsOf(part as Node, source, sources, depth + 1)
  const readPart = (part: unknown) => read(part)[0] ?? '{}'
  if (depth > 20) return [null]
  switch (node.type) {
    case 'StringLiteral':
      return [String(node.value)]
    case 'TemplateLiteral': {
      const quasis = (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked)
      const parts = (node.expressions as Node[]).map(readPart)
      return [quasis.map((text, i) => text + (parts[i] ?? '')).join('')]
    }
    case 'BinaryExpression':
      return [`${readPart(node.left)}${readPart(node.right)}`]
    case 'ConditionalExpression':
      return [...read(node.consequent), ...read(node.alternate)]
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
      return read(node.expression)
    case 'LogicalExpression':
      return [...read(node.left), ...read(node.right)]
    case 'ObjectExpression':
      return (node.properties as { value?: Node }[]).flatMap(({ value }) => (value ? read(value) : [null]))
    case 'CallExpression':
      return read(node.callee)
    case 'MemberExpression':
      // A text of a constant table.
      return node.computed && (node.object as Node).type === 'Identifier' ? read(node.object) : [null]
    case 'Identifier': {
      const { definition, file } = find(String(node.name), source, sources)
      return definition?.flatMap(part => textsOf(part, file, sources, depth + 1)) ?? [null]
    }
    default:
      return [null]
  }
}

/** Finds a constant or a function of the file, or of the file that it imports it from. */
function find(name: string, source: Source, sources: ReadonlyMap<string, Source>) {
  const imported = source.imports.get(name)
  const file = (imported && sources.get(imported.path)) ?? source
  return { definition: file.definitions.get(imported?.name ?? name), file }
}

function readSource(path: string, text: string): Source {
  const { program } = parse(text, { sourceType: 'module', plugins: ['typescript'] })
  const nodes = [...walk(program as unknown as Node)]
  const definitions = new Map<string, Node[]>()
  const imports = new Map<string, { path: string; name: string }>()
  for (const node of nodes) {
    if (node.type === 'VariableDeclarator' && node.init) {
      const name = String((node.id as Node).name)
      definitions.set(name, [...(definitions.get(name) ?? []), node.init as Node])
    }
    if (node.type === 'FunctionDeclaration') {
      definitions.set(String((node.id as Node).name), resultsOf(node.body as Node))
    }
    if (node.type === 'ImportDeclaration') {
      const file = fileOf(String((node.source as Node).value), path)
      for (const { local, imported } of node.specifiers as { local: Node; imported?: Node }[])
        imports.set(String(local.name), { path: file, name: String(imported?.name) })
    }
  }
  return { path, text, nodes, definitions, imports }
}

function fileOf(name: string, importer: string): string {
  return name.startsWith('#') ? `${name.slice(1)}.ts` : posix.join(posix.dirname(importer), name)
}

/** The expressions that a function returns. */
function resultsOf(body: Node): Node[] {
  return [...walk(body)]
    .filter(({ type, argument }) => type === 'ReturnStatement' && argument)
    .map(({ argument }) => argument as Node)
}

function* walk(node: Node): Generator<Node> {
  yield node
  for (const [key, value] of Object.entries(node)) {
    if (key === 'loc' || value === null || typeof value !== 'object') continue
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof (child as Node | null)?.type === 'string' && 'start' in child) yield* walk(child as Node)
    }
  }
}

/** Texts that docs/api/errors.md fixes word for word. */
const FIXED_TEXTS = ['auth request is not ready', 'auth request already exchanged']

/** The service that stands in for the payment provider on one machine has that provider's messages. */
const FOREIGN = 'local/payments/stand-in.ts'

/** Messages that no request gets: they are for the operator, in the log. */
const OPERATORS = ['local/stream/stream.ts']

/** The verbs with which our messages say what to do. */
const VERBS =
  'add|ask|call|change|check|choose|close|correct|create|encode|enter|exchange|get|keep|leave|look|name|open|post|raise|remove|restart|say|send|set|sign|split|start|try|upgrade|use|wait|write'
const ACTION = new RegExp(`(^|[.;:] |, |, or |, then )(${VERBS})\\b`, 'i')
/** `Field x must be …` says both in one sentence: what the field takes is what to send. */
const ACCEPTED = /^(Field|Parameter|Every|A) .*\b(must|takes|needs)\b/

/** Whether a message says what the client should do about the problem. */
export function saysAction(text: string): boolean {
  return FIXED_TEXTS.includes(text) || ACTION.test(text) || ACCEPTED.test(text)
}

/** Whether a caller of our endpoints can get the message of this place. */
export function isForCallers({ place }: Pick<ClientMessage, 'place'>): boolean {
  return ![FOREIGN, ...OPERATORS].includes(place.replace(/:\d+$/, ''))
}

/** Returns why a text is not a message for clients: a whole sentence, or more of them, in one line. */
export function problemsOf(text: string): string[] {
  if (FIXED_TEXTS.includes(text)) return []
  const rules: [problem: string, isBroken: boolean][] = [
    ['does not start with a capital letter', !/^\p{Lu}/u.test(text)],
    ['does not end with a full stop', !/[^.…]\.$/.test(text)],
    ['has a line break', /[\r\n]/.test(text)],
    ['has fewer than two words', text.trim().split(/\s+/).length < 2],
  ]
  return rules.filter(([, isBroken]) => isBroken).map(([problem]) => problem)
}
