import { clientSetUps } from '#schemas/mcp-clients'
import { VISITOR_WORDS } from '#schemas/visitor-words'

/** What an assistant reads before it calls the service (docs/agents.md). */

type DocumentServices = { baseUrl: string; mayHaveDemo: boolean }

const DEMO =
  '\n   Without a human, `POST /demo/session` gives a read-only session for the demo, where this install has one.'

/** The card of the MCP server, in the form of the proposal SEP-2127. */
export function serverCard(baseUrl: string) {
  return {
    name: 'footfall',
    title: 'Footfall',
    description: 'Web analytics: people, events, funnels, retention and what changed, of your projects.',
    version: '1',
    websiteUrl: baseUrl,
    remotes: [
      {
        type: 'streamable-http',
        url: `${baseUrl}/mcp`,
        supportedProtocolVersions: ['2026-07-28', '2025-11-25'],
      },
    ],
    authorization: { resource_metadata: `${baseUrl}/.well-known/oauth-protected-resource/mcp` },
    documentation: `${baseUrl}/install.md`,
  }
}

/** A skill in the form of agentskills.io: a head, and how to work. */
export function skillDocument({ baseUrl, mayHaveDemo }: DocumentServices): string {
  const description = `Answers questions about the traffic of a site or an app with Footfall (${baseUrl}): visitors, events, funnels, retention, drop-offs, what changed, whether tracking works. Use it when the user asks for numbers of their site, or wants to install the tracker.`
  // The head is YAML: a text with ": " must be quoted, and every JSON string is a quoted text of YAML.
  return `---
name: footfall
description: ${JSON.stringify(description)}
---

# Footfall

1. Access. With the tools of ${baseUrl}/mcp nothing is to do: the client signs in. Without them follow ${baseUrl}/auth.md.${mayHaveDemo ? DEMO : ''}
2. Start with \`overview\`: it lists the projects, and the events and properties of one. Use only names that it shows.
3. Ask one tool for the number: \`query\` for counts and splits, \`journeys\` for funnels, paths, retention and conversion, \`changes\` for
   what moved, \`people\` for who is behind a number, \`check\` for whether events arrive.
4. Say the range and who was counted with each number. The answer has both. \`since=7d\` has 8 dates, today included, and today is
   not over.
5. An answer that says \`Cut:\` lacks rows: repeat it with a larger \`max_tokens\` or \`limit\` before you add up rows. Never add the people
   of two days: a person counts in both.
6. \`remove\` cannot be undone. Ask the human in your own words before you call it.

${VISITOR_WORDS}

What each number means: ${baseUrl}/numbers.md. All endpoints without tools: ${baseUrl}/llms.txt. The tracker: ${baseUrl}/install.md.
`
}

/** How to install the tracker, and how to give the reports to an assistant. */
export function installDocument(baseUrl: string): string {
  return `# Install Footfall

## The tracker

1. Create a project, or take an existing one: \`GET ${baseUrl}/projects\`, \`POST ${baseUrl}/projects\` with
   \`{"name":"my-site","allowed_origins":"https://www.example.com"}\`, or the tool \`manage\`. The response has \`snippet\`.
2. Put the snippet into the head of every page, once. In an app with a router add \`data-track-spa="true"\`:

       <script defer src="${baseUrl}/tracker.js" data-project="my-site" data-token="aat_…"></script>

   \`footfall init\` does it for plain HTML, Next, Vite, Astro, SvelteKit, Nuxt, Hugo, Jekyll and WordPress themes.
3. Send events of your own: \`aa.track('signup', { plan: 'pro' })\` in a page, or \`POST ${baseUrl}/track\` from a server.
4. Open a page, then check: the tool \`check\`, or \`GET ${baseUrl}/properties/received?project=my-site&since=0d\`. Pages of
   localhost send nothing without \`data-localhost="true"\`.

## The tools of an assistant

The address is ${baseUrl}/mcp. A client signs in by itself: a page asks the human for approval.

${clientSetUps(baseUrl)
  .map(({ client, how }) => `- ${client}: \`${how}\``)
  .join('\n')}

How to work with them: ${baseUrl}/.well-known/agent-skills/footfall/SKILL.md
`
}
