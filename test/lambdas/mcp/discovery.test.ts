import { afterAll, beforeAll, expect, test } from 'vitest'
import { BASE_URL } from '#test/support/http-service'
import { type McpService, openMcpService } from '#test/support/mcp-service'

/** What a reader finds who knows only the address of the service. */

let service: McpService
beforeAll(async () => {
  service = await openMcpService()
})
afterAll(() => service.close())

const get = (path: string) => fetch(`http://127.0.0.1:${service.port}${path}`)

test('the server card names the address that a client of both revisions can call', async () => {
  const card = (await (await get('/.well-known/mcp/server-card.json')).json()) as {
    remotes: { url: string; supportedProtocolVersions: string[] }[]
    authorization: { resource_metadata: string }
  }
  const [remote] = card.remotes
  expect(remote?.url).toBe(`${BASE_URL}/mcp`)
  const modern = await service.connect()
  const legacy = await service.connect({ era: 'legacy' })
  expect([modern, legacy].map(client => client.getNegotiatedProtocolVersion())).toEqual(
    remote?.supportedProtocolVersions,
  )
  const metadata = await get(new URL(card.authorization.resource_metadata).pathname)
  expect(await metadata.json()).toMatchObject({ resource: `${BASE_URL}/mcp` })
})

test('the skill has a head with name and description, and names tools that exist', async () => {
  const skill = await (await get('/.well-known/agent-skills/footfall/SKILL.md')).text()
  const [, name, quoted = ''] = /^---\nname: ([\w-]+)\ndescription: (".+")\n---\n/.exec(skill) ?? []
  expect(name).toBe('footfall')
  // Without its quotes the text would not be YAML, because it has ": ". A JSON string is YAML.
  const description = JSON.parse(quoted) as string
  expect(description).toMatch(/^Answers questions about .+: visitors, events/)
  expect(description.length).toBeLessThanOrEqual(1_024)
  const { tools } = await (await service.connect()).listTools()
  for (const tool of tools.filter(({ name }) => name !== 'manage'))
    expect(skill).toContain(`\`${tool.name}\``)
})

test('every address of this service in the documents has an answer', async () => {
  const documents = [
    '/install.md',
    '/.well-known/agent-skills/footfall/SKILL.md',
    '/.well-known/mcp/server-card.json',
  ]
  for (const document of documents) {
    const text = await (await get(document)).text()
    const paths = text.matchAll(/https:\/\/footfall\.example(\/[\w./-]+)?/g)
    for (const [, path = '/'] of paths) {
      // Pages for people are not part of this service.
      if (['/', '/llms.txt'].includes(path)) continue
      expect([document, path, (await get(path.replace(/\.$/, ''))).status]).not.toEqual([document, path, 404])
    }
  }
})
