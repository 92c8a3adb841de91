import { expect, test } from 'vitest'
import { useDrawings } from './drawn-view.ts'

/** The account: its usage, its plan, and what was done with it. */

const drawings = useDrawings()

type Usage = { usage: { total_events_this_month: number; total_reads_this_month: number } }
type Audit = { entries: { action: string; project: string | null; status: number }[] }

test('the usage of the month is that of the API, and a limit that is none says so', async () => {
  await drawings.get('/stats?project=demo')
  const page = await drawings.draw('/app/account')
  // Each call changes the usage, so another answer would have other numbers.
  const { usage } = page.said<Usage>('GET /account/usage')
  expect(usage.total_reads_this_month).toBeGreaterThan(0)
  const lines = page.texts('[aria-label="Usage of this month"] > li')
  const shown = ['total_events_this_month', 'total_reads_this_month'] as const
  for (const [i, name] of shown.entries()) {
    expect(lines[i]).toContain(usage[name].toLocaleString('en-GB'))
    expect(lines[i]).toMatch(/^(Events|Reads).*no limit$/s)
  }
})

test('an account that can be upgraded has the link of the API, and a full limit is drawn full', async () => {
  const url = '/account/billing/agent-upgrade?account=acc_1'
  type Account = { tier_limits: object; payment: object }
  const upgradable = (known: Account) => ({
    ...{ ...known, entitlement_source: 'free' },
    tier_limits: { ...known.tier_limits, max_reads_per_month: 1 },
    payment: {
      ...{ ...known.payment, state: 'upgrade_available' },
      next_action: { type: 'open_browser', url, reason: 'r' },
    },
  })
  const page = await drawings.draw('/app/account', {
    answer: ({ pathname }, ask) =>
      pathname === '/account/usage'
        ? ask().then(async answer => Response.json(upgradable((await answer.json()) as Account)))
        : undefined,
  })
  expect(page.linkOf('Upgrade to Pro')).toBe(url)
  expect(page.all('.meter .full')).toHaveLength(1)
})

test('the audit log has the entries of the API, page by page', async () => {
  const names = Array.from({ length: 32 }, () => `audit-${Math.random().toString(36).slice(2)}`)
  for (const name of names) await drawings.post('/projects', { name }, 201)
  const wanted = ({ entries }: Audit) =>
    entries.map(({ action, project, status }) => [
      ...[action.replaceAll('_', ' '), project ?? '–', String(status)],
    ])
  const first = await drawings.draw('/app/account')
  const second = await drawings.draw(first.linkOf('Older'))
  expect(second.address.searchParams.get('before')).not.toBe(null)
  expect(first.said<Audit>('GET /account/audit').entries).toHaveLength(30)
  expect(second.said<Audit>('GET /account/audit').entries.length).toBeGreaterThan(0)
  for (const page of [first, second]) {
    const shown = page.cells('Audit log').map(([, , what, project, status]) => [what, project, status])
    expect(shown).toEqual(wanted(page.said<Audit>('GET /account/audit')))
  }
})
