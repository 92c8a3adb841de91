import { NAME, type RunCommand } from '#cli/command'
import { openInBrowser } from '#cli/session/open-browser'
import { webPage } from '#cli/session/sign-in'

export const openDashboard: RunCommand = {
  name: 'open',
  group: 'Tools',
  effect: 'local',
  args: [{ ...NAME, optional: true }],
  flags: [],
  summary: 'Opens the dashboard in the browser; without a terminal it only prints the address',
  example: '--demo open demo',
  async run({ args }, { io, baseUrl, output, print }) {
    const base = io.env.AA_DASHBOARD_URL || `${baseUrl()}/app`
    const url = new URL(webPage(base, 'dashboard'))
    if (args.NAME !== undefined) url.searchParams.set('project', args.NAME)
    if (output.isTerminal || io.env.AA_OPEN_COMMAND) openInBrowser(url.href, io)
    const facts = [['Dashboard', url.href, 'address']] as const
    print([{ kind: 'facts', facts: [...facts] }], JSON.stringify({ url: url.href }))
  },
}
