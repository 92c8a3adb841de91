import { adminSocketPath } from '#local/access/admin-socket'
import { apiKeyPath, credentialsPath } from '#local/credentials-file'

export type FirstSteps = {
  baseUrl: string
  dataDir: string
  /** The project of the demo. */
  project: string
  setupLink: string
  /** Whether the first start fills a demo: SEED_DEMO. */
  hasDemo: boolean
  /** Whether the API key of the data folder works. A dead one is not printed in any command. */
  isKeyLive: boolean
}

/**
 * The text for a new user once the service is ready. Its commands work when pasted into a shell on this
 * machine.
 */
export function firstSteps({ baseUrl, dataDir, project, setupLink, hasDemo, isKeyLive }: FirstSteps): string {
  // The command reads the key from its file, so no terminal and no system log keeps the key.
  const curl = `curl -s -H "X-API-Key: $(cat ${quoteForShell(apiKeyPath(dataDir))})"`
  const commands = hasDemo ? readDemo(curl, baseUrl, project) : createFirst(curl, baseUrl)
  return `
${isKeyLive ? commands : deadKey(dataDir)}

  Sign in as the owner; this link works once, for an hour:
    ${setupLink}
  Another one at any time:
    curl -s -X POST --unix-socket ${quoteForShell(adminSocketPath(dataDir))} http://localhost/link

  ${isKeyLive ? 'Your API key and project token:  ' : 'Your project token:              '}${credentialsPath(dataDir)}
  All endpoints, as OpenAPI 3.1:   ${baseUrl}/openapi.json`
}

function deadKey(dataDir: string): string {
  return `  The API key in ${credentialsPath(dataDir)} is dead: it was replaced, and only the one who has done it knows the new one.
  Sign in by the link below and replace it once more (Account, API key). The files then have the new key.`
}

function readDemo(curl: string, baseUrl: string, project: string): string {
  return `  Read the totals of the last 30 days:
    ${curl} '${baseUrl}/stats?project=${project}&since=30d'

  Open the demo site and click around. Then run the command again with since=0d. It counts an event 2 seconds after
  the page has sent it.
    ${baseUrl}/demo/`
}

function createFirst(curl: string, baseUrl: string): string {
  return `  Create a project for your site, and put the snippet of the response into its pages:
    ${curl} ${baseUrl}/projects -d '{"name": "my-site"}'

  Read its totals of today. They count an event 2 seconds after the page has sent it.
    ${curl} '${baseUrl}/stats?project=my-site&since=0d'`
}

function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
