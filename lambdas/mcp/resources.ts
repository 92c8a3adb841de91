import { type McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server'
import { errorCodes } from '#schemas/errors'
import { CHAT_VIEW } from '#schemas/mcp-tables'
import { MEANINGS } from '#schemas/meanings'
import type { Answer } from './answer.ts'
import { MAX_TOKENS } from './input-schema.ts'
import { printAnswer } from './print-answer.ts'
import { RowError } from './row-caller.ts'
import type { McpServices } from './services.ts'
import type { ToolContext } from './tool.ts'
import { hintOf } from './tool-words.ts'
import { contextTables, listEvents } from './tools/overview.ts'

/** What clients let a human attach to a chat, beside the tools. */

/** Projects that the list of resources names, the oldest ones. Others are read by their name. */
const MAX_LISTED = 20

const GLOSSARY = `# What the numbers mean

${MEANINGS.map(meaning => `- ${meaning}`).join('\n')}

The page /numbers.md of the service has every formula.
`

export type ResourceContext = ToolContext & Pick<McpServices, 'chatView'>

/** Adds the glossary, the page that draws answers, and the context and the events of each project. */
export function addResources(server: McpServer, context: ResourceContext): void {
  server.registerResource(
    'glossary',
    'footfall://glossary',
    {
      title: 'What the numbers mean',
      mimeType: 'text/markdown',
      cacheHint: { ttlMs: 3_600_000, cacheScope: 'public' },
    },
    uri => ({ contents: [{ uri: uri.href, mimeType: 'text/markdown', text: GLOSSARY }] }),
  )
  addChatView(server, context)
  addOfProjects(server, context, {
    kind: 'context',
    title: 'What the owner says about the numbers',
    read: project => readContext(project, context),
  })
  addOfProjects(server, context, {
    kind: 'events',
    title: 'Events and properties',
    read: project => listEvents(project, '30d', context),
  })
}

/**
 * The MCP App (SEP-1865). It names no host that it needs, so hosts let it reach none, and the page says so
 * itself in its policy.
 */
function addChatView(server: McpServer, { chatView }: ResourceContext): void {
  const { uri, mimeType } = CHAT_VIEW
  const _meta = { ui: { prefersBorder: true } }
  server.registerResource(
    'report',
    uri,
    {
      title: 'Charts of answers, for hosts that draw them in the chat',
      mimeType,
      _meta,
      cacheHint: { ttlMs: 3_600_000, cacheScope: 'public' },
    },
    async () => ({ contents: [{ uri, mimeType, text: await chatView(), _meta }] }),
  )
}

type OfProject = { kind: string; title: string; read(project: string): Promise<Answer> }

function addOfProjects(server: McpServer, { call }: ToolContext, { kind, title, read }: OfProject): void {
  const list = async () => {
    const { projects } = await call('listProjects')
    return {
      resources: projects.slice(0, MAX_LISTED).map(({ name }) => ({
        uri: `footfall://projects/${name}/${kind}`,
        name: `${name} ${kind}`,
        title: `${name}: ${title}`,
      })),
    }
  }
  server.registerResource(
    kind,
    new ResourceTemplate(`footfall://projects/{project}/${kind}`, { list }),
    { title, mimeType: 'text/markdown' },
    async (uri, { project }) => {
      const { text } = printAnswer(await withoutMessage(uri.href, read(String(project))), MAX_TOKENS.max)
      return { contents: [{ uri: uri.href, mimeType: 'text/markdown', text }] }
    },
  )
}

/**
 * The message of an error may repeat names of visitors, so the client gets the hint of its code instead.
 * Throws ResourceNotFoundError, which is -32602, for an address that names no project.
 */
async function withoutMessage(uri: string, answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof RowError)) throw error
    const message = `${error.code}: ${hintOf(error.code)}`
    throw errorCodes[error.code].status === 404 ? new ResourceNotFoundError(uri, message) : new Error(message)
  }
}

async function readContext(project: string, { call }: ToolContext): Promise<Answer> {
  const { project_context: found, project: name } = await call('readProjectContext', { query: { project } })
  const { annotations } = found
  return {
    summary: `What the owner says about ${name}: ${found.goals.length} goals, ${found.glossary.length} words, ${annotations.length} annotations.`,
    counted: 'what the owner has written',
    tables: [
      ...contextTables(found),
      {
        name: 'annotations',
        columns: ['occurred_at', 'title', 'note', 'id'],
        rows: annotations.map(({ occurred_at, title, note, id }) => [
          occurred_at,
          title,
          note ?? null,
          id ?? null,
        ]),
      },
    ],
    next: 'manage(action="set_context") or manage(action="add_annotation") to change it.',
  }
}
