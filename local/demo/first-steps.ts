import { credentialsPath } from '#local/credentials-file'

/** What a newcomer is told once the service is up: all of it works when pasted into a shell on this machine. */
export function firstSteps(baseUrl: string, dataDir: string, project: string): string {
  const path = credentialsPath(dataDir)
  // The key is read from its file, so that neither a terminal nor a journal keeps it.
  const key = `$(sed -n 's/.*"api_key": "\\(.*\\)".*/\\1/p' ${shellQuoted(path)})`
  return `
  Ask for the numbers of the last 30 days:
    curl -s -H "X-API-Key: ${key}" '${baseUrl}/stats?project=${project}&since=30d'

  Click around in the demo page, then ask again with since=0d: your visit is there within 2 seconds.
    ${baseUrl}/demo/

  Your API key and project token:  ${path}
  All endpoints, as OpenAPI 3.1:   ${baseUrl}/openapi.json`
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
