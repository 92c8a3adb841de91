import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Project } from '#core/projects/project'
import { type McpService, openMcpService, textOf } from '#test/support/mcp-service'

let service: McpService
let project: Project
beforeAll(async () => {
  service = await openMcpService()
  project = await service.createProject()
  await service.fill([[project, [{ event: 'signup', properties: { plan: 'pro' } }]]])
})
afterAll(() => service.close())

describe.each(['modern', 'legacy'] as const)('a client of the %s revision', era => {
  test('lists and reads the glossary, the context and the events of a project', async () => {
    const client = await service.connect({ era })
    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual(
      expect.arrayContaining([
        'footfall://glossary',
        `footfall://projects/${project.name}/context`,
        `footfall://projects/${project.name}/events`,
      ]),
    )
    const read = async (uri: string) => {
      const [first] = (await client.readResource({ uri })).contents
      return (first as { text: string }).text
    }
    expect(await read('footfall://glossary')).toContain('Bounce')
    expect(await read(`footfall://projects/${project.name}/events`)).toMatch(
      /<data-\w+>\n(.|\n)*\|signup\|1\|1\|/,
    )
    await service.connect().then(writer =>
      writer.callTool({
        name: 'manage',
        arguments: { action: 'set_context', project: project.name, values: { goals: ['More signups'] } },
      }),
    )
    expect(await read(`footfall://projects/${project.name}/context`)).toContain('|More signups')
  })

  test('gets a project of another account refused', async () => {
    const theirs = await service.createProject(service.stranger)
    const client = await service.connect({ era })
    const reading = client.readResource({ uri: `footfall://projects/${theirs.name}/events` })
    await expect(reading).rejects.toThrow('NOT_FOUND')
  })

  test('gets an unknown project refused as a wrong address, with what to do', async () => {
    const client = await service.connect({ era })
    const reading = client.readResource({ uri: 'footfall://projects/unknown/context' })
    await expect(reading).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('NOT_FOUND: Call overview() for the projects'),
    })
  })

  test('lists the prompts, and gets one for a project', async () => {
    const client = await service.connect({ era })
    const { prompts } = await client.listPrompts()
    expect(prompts.map(({ name }) => name)).toEqual([
      'weekly_review',
      'find_drop_off',
      'check_install',
      'explain_change',
    ])
    for (const { name } of prompts) {
      const { messages } = await client.getPrompt({ name, arguments: { project: project.name } })
      expect(textOf({ content: [messages[0]?.content] })).toContain(`"${project.name}"`)
    }
  })

  test('gets a prompt without its project refused', async () => {
    const client = await service.connect({ era })
    await expect(client.getPrompt({ name: 'weekly_review', arguments: {} })).rejects.toThrow('project')
  })
})

test('prompts name tools and arguments that exist', async () => {
  const client = await service.connect()
  const { tools } = await client.listTools()
  const { prompts } = await client.listPrompts()
  for (const { name } of prompts) {
    const { messages } = await client.getPrompt({ name, arguments: { project: project.name } })
    const text = textOf({ content: [messages[0]?.content] })
    for (const [, tool, args = ''] of text.matchAll(/\b(\w+)\(((?:project|kind|report|user_id)[^)]*)\)/g)) {
      const known = tools.find(each => each.name === tool)?.inputSchema.properties ?? {}
      for (const [, argument = ''] of args.matchAll(/(?:^|, )(\w+)/g)) {
        expect([tool, argument, Object.keys(known)]).toEqual([
          tool,
          argument,
          expect.arrayContaining([argument]),
        ])
      }
    }
  }
})
