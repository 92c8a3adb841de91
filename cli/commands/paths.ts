import { callCommand, type Flag, NAME, parametersOf, QUESTION } from '#cli/command'
import { advice, type Block, type Row, type TreeNode } from '#cli/print/blocks'
import { formatted } from '#cli/print/format'
import { reportHeading } from '#cli/print/periods'

const bound = (name: string, help: string): Flag => ({
  flags: `--${name} <n>`,
  parameter: name.replaceAll('-', '_'),
  as: 'whole',
  help,
})

const FLAGS: readonly Flag[] = [
  {
    flags: '--goal <event>',
    parameter: 'goal_event',
    required: true,
    help: 'the event that sessions should reach',
  },
  bound('max-steps', 'depth of the trees, 1 to 5 (default: 5)'),
  bound('entry-limit', 'most entry pages, 1 to 20 (default: 10)'),
  bound('path-limit', 'most ways from each step, 1 to 10 (default: 5)'),
  bound('candidate-session-cap', 'most sessions that are followed, 100 to 10000 (default: 5000)'),
  ...QUESTION,
  { flags: '--all', as: 'switch', help: 'also the rare ways, of fewer than 1 % of the sessions of a page' },
  {
    flags: '--dry-run',
    parameter: 'dry_run',
    as: 'switch',
    help: 'runs nothing, and says what the read would cost',
  },
]

/** Exit pages of an entry page that the terminal shows. */
const EXITS = 5
/** A way of fewer sessions is no pattern that a person could act on. */
const FEW_SESSIONS = 3
const FEW_OF_ENTRY = 0.01

type Node = {
  type: string
  value: string
  sessions: number
  conversions: number
  conversion_rate: number
  reached: number
  children: readonly Node[]
}

export const paths = callCommand<'POST /paths'>({
  name: 'paths',
  group: 'Reports',
  args: [NAME],
  flags: FLAGS,
  summary: 'The ways of sessions from their entry page to a goal, as trees',
  example: '--demo paths demo --goal signup',
  call: input => ({
    endpoint: 'POST /paths',
    body: { project: input.args.NAME, ...parametersOf(FLAGS, input) },
  }),
  cut: 'A bound has left out entry pages, sessions or ways. See --entry-limit, --candidate-session-cap, --path-limit.',
  print: ({ project, period, goal_event, reached, bounds, entry_paths }, { input }) => [
    reportHeading(`${project}, ways to ${goal_event}`, period),
    {
      kind: 'facts',
      facts: [
        ['Reached', reachedOf(reached, entry_paths)],
        [
          'Bounds',
          `${bounds.max_steps} steps, ${bounds.entry_limit} entries, ${bounds.path_limit} ways, ${bounds.candidate_session_cap} sessions`,
        ],
      ],
    },
    {
      kind: 'table',
      name: 'paths',
      csvOnly: true,
      columns: [
        ...['entry_page', 'depth', 'type', 'value', 'sessions', 'conversions', 'conversion_rate', 'reached'],
      ].map(key => ({ key, title: key })),
      rows: entry_paths.flatMap(({ entry_page, tree }) => flattened(entry_page, tree, 1)),
    },
    ...entry_paths.flatMap((entry): Block[] => [
      {
        kind: 'tree',
        title: `${entry.entry_page}: ${formatted(entry.sessions, 'count')} sessions, ${formatted(rateOf(entry), 'rate')} reach the goal`,
        nodes: treeNodes(entry.tree, input.options.all === true ? 1 : leastOf(entry.sessions)),
      },
      {
        kind: 'line',
        text: `Left without the goal from: ${
          entry.exit_pages
            .toSorted((a, b) => b.sessions - b.reached - (a.sessions - a.reached))
            .slice(0, EXITS)
            .map(exit => `${exit.exit_page} ${exit.sessions - exit.reached}`)
            .join(', ') || 'nowhere'
        }`,
      },
    ]),
    ...(input.options.all === true
      ? []
      : [advice('Rare ways are left out. --all, --csv and --json have them.')]),
  ],
})

/** The part of sessions that reached the goal at any time (U82), and how many of them after the bound. */
function reachedOf(reached: number, entries: readonly { sessions: number; conversions: number }[]): string {
  const sessions = entries.reduce((sum, each) => sum + each.sessions, 0)
  const later = reached - entries.reduce((sum, each) => sum + each.conversions, 0)
  const rate = formatted(rateOf({ sessions, reached }), 'rate')
  return `${formatted(reached, 'count')} of ${formatted(sessions, 'count')} sessions (${rate})${later === 0 ? '' : `, ${formatted(later, 'count')} after the last step of the trees`}`
}

function rateOf({ sessions, reached }: { sessions: number; reached: number }): number {
  return sessions === 0 ? 0 : reached / sessions
}

function leastOf(sessions: number): number {
  return Math.max(FEW_SESSIONS, Math.ceil(sessions * FEW_OF_ENTRY))
}

const SIGNS: Record<string, string> = {
  goal: '✓ ',
  drop_off: '✕ left at ',
  truncated: '… went on from ',
  event: '• ',
}

/** Nodes that all sessions of their parent pass stand in its line. */
function treeNodes(nodes: readonly Node[], least: number): TreeNode[] {
  return nodes
    .filter(({ sessions }) => sessions >= least)
    .map(first => {
      const chain = [first]
      let next = first.children
      while (next.length === 1 && next[0]?.sessions === first.sessions) {
        chain.push(next[0])
        next = next[0].children
      }
      return {
        label: chain.map(({ type, value }) => `${SIGNS[type] ?? ''}${value}`).join(' → '),
        detail: detailOf(chain.at(-1) as Node),
        children: treeNodes(next, least),
      }
    })
}

/** The sign of a last node says already whether its sessions have converted. */
function detailOf(node: Node): string {
  const { type, sessions, reached } = node
  const count = formatted(sessions, 'count')
  if (type === 'page' || type === 'event') return `${count}, ${formatted(rateOf(node), 'rate')}`
  return type === 'truncated' && reached > 0
    ? `${count}, ${formatted(reached, 'count')} reached it later`
    : count
}

function flattened(entry_page: string, nodes: readonly Node[], depth: number): Row[] {
  return nodes.flatMap(({ children, ...node }) => [
    { entry_page, depth, ...node },
    ...flattened(entry_page, children, depth + 1),
  ])
}
