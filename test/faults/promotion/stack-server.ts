import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { keptResources } from '#lib/kept-resources'
import { functions } from '#schemas/functions'

export type ServedStack = { bucket: string; table: string; emailKey?: string; streamArn?: string }

/**
 * What CloudFormation, Lambda and Secrets Manager answer for a stack whose writers are stopped. The stack
 * `Missing` is not there.
 */
export async function startStackServer({ bucket, table, emailKey = 'of the stack', streamArn }: ServedStack) {
  const stopped = new Set(['to-lake', 'to-jobs', ...Object.keys(functions)])
  const calls: string[] = []
  const physical: Record<string, string> = {
    [keptResources.lake.logicalId]: bucket,
    [keptResources.state.logicalId]: table,
    [keptResources.emailKey.logicalId]: 'arn:email-key',
    lakeFromStream0A1B2C3D: 'to-lake',
    jobsFromQueue0A1B2C3D: 'to-jobs',
    JobQueueJobsQueue0A1B2C3D: 'https://queue',
    ...Object.fromEntries(Object.keys(functions).map(name => [`${name}Function0A1B2C3D`, name])),
  }
  const template = {
    Resources: {
      Hot: {
        Type: 'AWS::Glue::Table',
        Properties: { TableInput: { Parameters: { 'projection.epoch.range': '1,20000' } } },
      },
    },
  }

  function answer({ method, url = '', headers }: IncomingMessage, body: string): string {
    const parameters = new URLSearchParams(body)
    const action = parameters.get('Action')
    if (parameters.get('StackName') === 'Missing') return NO_STACK
    if (action === 'ListStackResources')
      return xml(action, `<StackResourceSummaries>${members()}</StackResourceSummaries>`)
    if (action === 'GetTemplate')
      return xml(action, `<TemplateBody>${JSON.stringify(template)}</TemplateBody>`)
    const target = String(headers['x-amz-target'])
    if (target.endsWith('.GetSecretValue')) return JSON.stringify({ SecretString: emailKey })
    if (target.endsWith('.PutSecretValue')) {
      emailKey = JSON.parse(body).SecretString
      calls.push('key')
      return '{}'
    }
    const [, name = '', end = ''] =
      /^\/[\d-]+\/(?:event-source-mappings|functions)\/([\w-]+)\/?(\w*)/.exec(url) ?? []
    if (end === 'invocations') {
      calls.push(`invoke ${name}`)
      return JSON.stringify({ claims: 0, lost: { events: 0 } })
    }
    if (method !== 'GET') calls.push(`${method} ${name}`)
    if (method === 'DELETE' || (method === 'PUT' && JSON.parse(body).Enabled === true)) stopped.delete(name)
    return JSON.stringify({
      State: stopped.has(name) ? 'Disabled' : 'Enabled',
      EventSourceArn: streamArn,
      ...(end === 'concurrency' && stopped.has(name) && { ReservedConcurrentExecutions: 0 }),
    })
  }

  const members = () =>
    Object.entries(physical)
      .map(
        ([logical, id]) =>
          `<member><LogicalResourceId>${logical}</LogicalResourceId><PhysicalResourceId>${id}</PhysicalResourceId></member>`,
      )
      .join('')

  const server = createServer(async (request, response) => {
    const body = answer(request, await text(request))
    if (body === NO_STACK) response.statusCode = 400
    response.end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    emailKey: () => emailKey,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const NO_STACK =
  '<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code><Message>Stack with id Missing does not exist</Message></Error></ErrorResponse>'

function xml(action: string, result: string): string {
  return `<${action}Response><${action}Result>${result}</${action}Result></${action}Response>`
}
