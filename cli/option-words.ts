import type { Command, Flag, Input } from './command.ts'
import type { Problem } from './errors.ts'

/** Words of the service for the values of a switch: `allow_move: true`. */
const SWITCH = /^true$/

/**
 * The text of the service in the words of the command line: the fields and parameters that it names become
 * the options and arguments of the command which have them. Other texts stay as they are.
 */
export function optionWords(text: string, command: Pick<Command, 'args' | 'flags'>): string {
  const named = (name: string) => wordOf(name, command)
  return (
    withoutPaths(text)
      // `since=6d`, `allow_move: true`
      .replace(/`([A-Za-z_]+)(?:=|: ?)([\w.,-]+)`/g, (whole, name: string, value: string) => {
        const word = named(name)
        if (word === null) return whole
        return SWITCH.test(value) ? `\`${word}\`` : `\`${word} ${value}\``
      })
      .replace(
        /\b([Ff]ield|[Pp]arameter|[Pp]roperty) `([A-Za-z_]+)`/g,
        (whole, kind: string, name: string) => {
          const word = named(name)
          if (word === null) return whole
          const noun = word.startsWith('--') ? 'option' : 'argument'
          return `${/^[A-Z]/.test(kind) ? noun[0]?.toUpperCase() + noun.slice(1) : noun} \`${word}\``
        },
      )
      // `count_mode` `raw`
      .replace(/`([A-Za-z_]+)`(?= `)/g, (whole, name: string) => (named(name) ? `\`${named(name)}\`` : whole))
      .replace(/`([A-Za-z_]+)`/g, (whole, name: string) =>
        optionOf(name, command) ? `\`${named(name)}\`` : whole,
      )
      .replace(/\b([Ss])end (?=`(?:--|[A-Z]+`))/g, (_, first: string) => (first === 'S' ? 'Use ' : 'use '))
  )
}

/** The problem in the words of the command, so that both sentences speak of what the caller can write. */
export function problemInOptions(problem: Problem, command: Command): Problem {
  const message = optionWords(problem.message, command)
  const [, option] = /^Option `(--[a-z-]+)`/.exec(message) ?? []
  const flags = command.flags.map(({ flags }) => flags.split(' ')[0])
  // The advice of a code names one option; the command may have another one for the same thing.
  const action = optionWords(problem.suggested_action, command).replace(/--[a-z-]+/g, name =>
    option !== undefined && !flags.includes(name) && isInstead(name) ? option : name,
  )
  const isGeneral = /^(Add or correct the field|Correct or leave out the arguments|Send the body as)/.test(
    action,
  )
  return {
    ...problem,
    message,
    suggested_action: isGeneral || action === message ? helpOf(command) : action,
  }
}

/** Whether another option may stand in the place of this one in the advice of a code (cli/errors.ts). */
function isInstead(option: string): boolean {
  return option === '--since'
}

/** Sentences that name a path of the service help nobody here; the advice names a command. */
function withoutPaths(text: string): string {
  const sentences = text.split('. ')
  const rest = sentences.filter(sentence => !/^(GET|POST|PUT|PATCH|DELETE) \//.test(sentence))
  if (rest.length === 0 || rest.length === sentences.length) return text
  return rest.at(-1) === sentences.at(-1) ? rest.join('. ') : `${rest.join('. ')}.`
}

/** What is counted, in the one word of the command line: the service says `entity` for both. */
export function countedWords(text: string, { options }: Input): string {
  const [one, many] = options.countBy === 'session_id' ? ['session', 'sessions'] : ['visitor', 'visitors']
  return text.replace(/\bentities\b/g, many).replace(/\bentity\b/g, one)
}

function helpOf({ name, example }: Command): string {
  return `For example: footfall ${example} (all options: footfall ${name} --help)`
}

function wordOf(name: string, command: Pick<Command, 'args' | 'flags'>): string | null {
  const option = optionOf(name, command)
  if (option !== undefined) return option.flags.split(' ')[0] as string
  const argument = command.args.find(
    each => each.name.toLowerCase() === name || (each.isProject === true && name === 'project'),
  )
  return argument?.name ?? null
}

function optionOf(name: string, { flags }: Pick<Command, 'flags'>): Flag | undefined {
  const ownName = `--${name.replaceAll('_', '-')}`
  return (
    flags.find(({ parameter }) => parameter === name) ??
    // The command itself makes the field of the option, as of `--steps`.
    flags.find(({ flags, parameter }) => parameter === undefined && flags.split(' ')[0] === ownName)
  )
}
