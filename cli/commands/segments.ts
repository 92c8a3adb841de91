import { type Argument, type Command, callCommand, type Flag, NAME } from '#cli/command'
import { usage } from '#cli/errors'
import { conditionOf } from '#cli/filters'
import { advice } from '#cli/print/blocks'
import { parseJson } from '#schemas/json-depth'

const SEGMENT: Argument = { name: 'SEGMENT', help: 'name of the segment: letters, digits, ., _ and -' }

const IF_MATCH: Flag = {
  flags: '--if-match <version>',
  help: 'the version that `list` has shown; refused when the segment has changed since',
}

const SET: readonly Flag[] = [
  { flags: '--where <json>', help: 'the condition as JSON: {"did":{"event":"purchase"}}' },
  {
    flags: '--filter <filter>',
    as: 'repeated',
    help: 'or its parts, which must all hold: country=DE, properties.path^=/blog',
  },
  { flags: '--title <text>', help: 'what people read (default: the name)' },
  IF_MATCH,
]

/** Conditions with a name, for --segment of the reports. */
export const segmentCommands: readonly Command[] = [
  callCommand<'GET /projects/{id}/segments'>({
    name: 'segments list',
    group: 'Projects',
    args: [NAME],
    flags: [],
    summary: 'The segments of a project: conditions with a name, for --segment of the reports',
    example: '--demo segments list demo',
    call: ({ args }) => ({ endpoint: 'GET /projects/{id}/segments', path: { id: args.NAME as string } }),
    print: ({ segments }) => [
      {
        kind: 'table',
        name: 'segments',
        columns: [
          { key: 'name', title: 'Name' },
          { key: 'title', title: 'Title' },
          { key: 'condition', title: 'Condition' },
          { key: 'etag', title: 'Version', as: 'id' },
        ],
        rows: segments.map(({ where, ...segment }) => ({ ...segment, condition: JSON.stringify(where) })),
      },
      ...(segments.length === 0
        ? [advice('Nothing is set. Set one: footfall segments set NAME buyers --filter event=purchase')]
        : []),
    ],
  }),
  callCommand<'PUT /projects/{id}/segments/{name}'>({
    name: 'segments set',
    group: 'Projects',
    effect: 'changes',
    args: [NAME, SEGMENT],
    flags: SET,
    summary: 'Creates or replaces a segment',
    example: 'segments set shop germans --filter country=DE --dry-run',
    call: ({ args, options }) => ({
      endpoint: 'PUT /projects/{id}/segments/{name}',
      path: { id: args.NAME as string, name: args.SEGMENT as string },
      body: { where: whereOf(options), title: options.title },
      ifMatch: options.ifMatch as string | undefined,
    }),
    print: ({ name, title, where, etag }) => [
      {
        kind: 'facts',
        facts: [
          ['Name', name],
          ['Title', title],
          ['Condition', JSON.stringify(where)],
          ['Version', etag],
        ],
      },
    ],
  }),
  callCommand<'DELETE /projects/{id}/segments/{name}'>({
    name: 'segments delete',
    group: 'Projects',
    effect: 'deletes',
    args: [NAME, SEGMENT],
    flags: [IF_MATCH],
    summary: 'Deletes a segment; reports that name it are refused from then on',
    example: 'segments delete shop germans --dry-run',
    call: ({ args, options }) => ({
      endpoint: 'DELETE /projects/{id}/segments/{name}',
      path: { id: args.NAME as string, name: args.SEGMENT as string },
      ifMatch: options.ifMatch as string | undefined,
    }),
    print: () => [{ kind: 'facts', facts: [['Deleted', 'one segment']] }],
  }),
]

/** The condition as an object: the body of a PUT has no text of JSON. Throws CommandError without one. */
function whereOf({ where, filter }: Readonly<Record<string, unknown>>): unknown {
  const text = conditionOf({ where, filter })
  if (text !== undefined) return parseJson(text)
  throw usage(
    'A segment needs a condition.',
    `Write one: --filter country=DE, or --where '{"did":{"event":"purchase"}}'`,
  )
}
