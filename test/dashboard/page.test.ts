import { expect, test } from 'vitest'
import { useDrawings } from './drawn-view.ts'

/** The page that the service sends for every address of the dashboard. */

const drawings = useDrawings()

test('the page of the dashboard is not kept, and lets run nothing that is not a file of the service', async () => {
  const { baseUrl } = drawings.service
  const response = await fetch(`${baseUrl}/app/demo`, { headers: { Accept: 'text/html' } })
  const html = await response.text()
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
  const policy = response.headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'none'")
  expect(policy).not.toMatch(/unsafe|\*|https?:/)
  expect(html).not.toMatch(/<style|\sstyle=|<script>|\son\w+=/)
  for (const [, file] of html.matchAll(/(?:src|href)="(\/app\/assets\/[^"]+)"/g)) {
    const asset = await fetch(baseUrl + file)
    expect([asset.status, asset.headers.get('cache-control')]).toEqual([
      200,
      'public, max-age=31536000, immutable',
    ])
  }
})
