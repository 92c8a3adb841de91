import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Project } from '#core/projects/project'
import { type McpService, openMcpService, textOf } from '#test/support/mcp-service'

/** What POST /mcp promises to clients of both revisions of the protocol. */

let service: McpService
let project: Project
beforeAll(async () => {
  service = await openMcpService()
  project = await service.createProject()
  await service.fill([[project, [{ event: 'page_view' }, { event: 'signup' }]]])
})
afterAll(() => service.close())

describe.each(['modern', 'legacy'] as const)('a client of the %s revision', era => {
  test('lists the tools and calls one', async () => {
    const client = await service.connect({ era })
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('overview')
    const result = await client.callTool({ name: 'overview', arguments: { project: project.name } })
    expect(textOf(result)).toContain('|signup|1|1|')
    expect(result.structuredContent).toMatchObject({ totals: { event_names: 2 } })
  })
})
