import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPagesService, type PagesService } from '#test/support/pages-service'

/**
 * The page of a share link (docs/api/dashboard.md). What its script then reads is in test/dashboard/.
 */

let service: PagesService
beforeAll(async () => {
  service = await openPagesService()
})
afterAll(() => service.close())

let count = 0

async function newLink(options: { views?: ['pages', 'heatmap']; expires_at?: number } = {}) {
  count += 1
  const { project } = await service.projects.create({
    account: service.owner,
    name: `shop-${count}`,
  })
  const created = await service.shareLinks.create(project.id, options)
  if (created === null) throw new Error('no link')
  return { project, ...created }
}

const open = (token: string, view = '') =>
  fetch(`${service.baseUrl}/share/${token}${view}`, { headers: { Accept: 'text/html' } })

test('the page names the project and the chosen views, and no request of it names the secret', async () => {
  const { token, project } = await newLink({ views: ['pages', 'heatmap'] })
  for (const view of ['', '/heatmap', '/people']) {
    const response = await open(token, view)
    expect(response.status).toBe(200)
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    expect(response.headers.get('x-robots-tag')).toContain('noindex')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('set-cookie')).toBeNull()
    const text = await response.text()
    expect(text).toContain('data-refresh-seconds="60"')
    // A link may not call POST /reads.
    expect(text).not.toContain('data-reads-together')
    expect(text).toMatch(/<meta name="robots" content="noindex\b/)
    expect(text).toContain(
      `data-project="${project.name}" data-title="${project.name}" data-views="pages heatmap" data-timezone=""`,
    )
    expect(text).not.toContain(token)
    expect(text).not.toContain(project.project_token)
  }
})

test('an unknown, a deleted and an expired link, and one of a deleted project, are 404', async () => {
  const status = async (token: string) => (await open(token)).status
  expect(await status('unknown')).toBe(404)
  expect(await status(`aal_${'0'.repeat(96)}`)).toBe(404)
  const [deleted, expiring, last] = [
    await newLink(),
    await newLink({ expires_at: Date.now() + 60_000 }),
    await newLink(),
  ]
  expect(await status(deleted.token)).toBe(200)
  await service.shareLinks.remove(deleted.project.id, deleted.link.id)
  expect(await status(deleted.token)).toBe(404)

  expect(await status(expiring.token)).toBe(200)
  expect(await status(last.token)).toBe(200)
  await service.projects.remove(last.project)
  service.wait(60_000)
  expect(await status(expiring.token)).toBe(404)
  expect(await status(last.token)).toBe(404)
})

test('neither the state nor the log has the secret of a link that was opened', async () => {
  const { token } = await newLink()
  await open(token)
  await open(`${token.slice(0, -1)}x`)
  const { Items } = await service.state.client.scan({ TableName: service.state.table })
  const kept = JSON.stringify([Items, service.logged])
  expect(kept.includes(token.slice(-64))).toBe(false)
})
