import { callCommand, type Flag, NAME, parametersOf, TZ } from '#cli/command'
import type { Block, Row, TreeNode } from '#cli/print/blocks'
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
  {
    flags: '--since <period>',
    parameter: 'since',
    choices: ['1d', '7d', '14d', '30d', '90d'],
    help: 'default: 30d',
  },
  bound('max-steps', 'depth of the trees, 1 to 5 (default: 5)'),
  bound('entry-limit', 'most entry pages, 1 to 20 (default: 10)'),
  bound('path-limit', 'most ways from each step, 1 to 10 (default: 5)'),
  bound('candidate-session-cap', 'most sessions that are followed, 100 to 10000 (default: 5000)'),
  TZ,
  {
    flags: '--dry-run',
    parameter: 'dry_run',
    as: 'switch',
    help: 'runs nothing, and says what the read would cost',
  },
]

/** Exit pages of an entry page that the terminal shows. */
const EXITS = 5

type Node = {
  type: string
  value: string
  sessions: number
  conversions: number
  conversion_rate: number
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
  print: ({ project, period, goal_event, bounds, entry_paths }) => [
    reportHeading(`${project}, ways to ${goal_event}`, period),
    {
      kind: 'facts',
      facts: [
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
      columns: ['entry_page', 'depth', 'type', 'value', 'sessions', 'conversions', 'conversion_rate'].map(
        key => ({ key, title: key }),
      ),
      rows: entry_paths.flatMap(({ entry_page, tree }) => flattened(entry_page, tree, 1)),
    },
    ...entry_paths.flatMap((entry): Block[] => [
      {
        kind: 'tree',
        title: `${entry.entry_page}: ${formatted(entry.sessions, 'count')} sessions, ${formatted(entry.conversion_rate, 'rate')} convert`,
        nodes: entry.tree.map(treeNode),
      },
      {
        kind: 'line',
        text: `Left from: ${
          entry.exit_pages
            .slice(0, EXITS)
            .map(exit => `${exit.exit_page} ${exit.drop_offs}`)
            .join(', ') || 'nowhere'
        }`,
      },
    ]),
  ],
})

const SIGNS: Record<string, string> = {
  goal: '✓ ',
  drop_off: '✕ left at ',
  truncated: '… went on from ',
  event: '• ',
}

function treeNode(node: Node): TreeNode {
  return {
    label: `${SIGNS[node.type] ?? ''}${node.value}`,
    detail: `${formatted(node.sessions, 'count')}, ${formatted(node.conversion_rate, 'rate')}`,
    children: node.children.map(treeNode),
  }
}

function flattened(entry_page: string, nodes: readonly Node[], depth: number): Row[] {
  return nodes.flatMap(({ children, ...node }) => [
    { entry_page, depth, ...node },
    ...flattened(entry_page, children, depth + 1),
  ])
}
