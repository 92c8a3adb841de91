import { apiKeyPath, credentialsPath } from '#local/credentials-file'

/**
 * The text for a new user once the service is ready. Its commands work when pasted into a shell on this
 * machine.
 */
export function firstSteps(baseUrl: string, dataDir: string, project: string, setupLink: string): string {
  // The command reads the key from its file, so no terminal and no system log keeps the key.
  const key = `$(cat ${quoteForShell(apiKeyPath(dataDir))})`
  return `
  Read the totals of the last 30 days:
    curl -s -H "X-API-Key: ${key}" '${baseUrl}/stats?project=${project}&since=30d'

  Open the demo site and click around. Then run the command again with since=0d. It counts an event 2 seconds after
  the page has sent it.
    ${baseUrl}/demo/

  Sign in as the owner; this link works once, for an hour:
    ${setupLink}

  Your API key and project token:  ${credentialsPath(dataDir)}
  All endpoints, as OpenAPI 3.1:   ${baseUrl}/openapi.json`
}

function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
