import type { RunCommand } from '#cli/command'

/** The first questions of somebody who tries it, each as it is typed. */
const EXAMPLES = [
  ['footfall --demo stats demo', 'totals, days, events, countries'],
  ['footfall --demo insights demo --period 14d', 'what changed'],
  ['footfall --demo funnel demo --steps page_view,signup_started,signup', 'how many sign up, and how fast'],
  ['footfall --demo paths demo --goal signup', 'the ways to a signup'],
  ['footfall --demo conversion demo --goal signup --by source', 'which source brings signups'],
  ['footfall --demo retention demo', 'who comes back'],
  ['footfall --demo experiments get exp_demo_signup_cta', 'which variant wins'],
  ['footfall --demo live demo', 'who is there now'],
] as const

export const demo: RunCommand = {
  name: 'demo',
  group: 'Tools',
  effect: 'local',
  hasTable: true,
  args: [],
  flags: [],
  summary: 'Examples that need no sign-in, for a service with a demo; --demo before a command reads it',
  example: 'demo',
  async run(_, { print }) {
    const rows = EXAMPLES.map(([command, shows]) => ({ command, shows }))
    const text = rows.map(({ command, shows }) => `${command}\n    ${shows}`).join('\n')
    const columns = [
      { key: 'command', title: 'Command' },
      { key: 'shows', title: 'Shows' },
    ]
    const table = { kind: 'table', name: 'examples', columns, rows, csvOnly: true } as const
    print(
      [table, { kind: 'source', title: 'Each line works as it stands', text }],
      JSON.stringify({ examples: rows }),
    )
  },
}
