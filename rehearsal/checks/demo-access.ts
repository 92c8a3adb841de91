import { InvokeCommand } from '@aws-sdk/client-lambda'
import { type Check, expectEqual } from './check.ts'

/**
 * The demo is opened as docs/sign-in.md says. Its events are made up, so only its sessions are checked here.
 */
export const demoAccess: Check = {
  name: 'the owner opens the demo, and a demo session only reads',
  async act({ aws, stack, service }) {
    const send = async (
      method: string,
      path: string,
      { token, body }: { token?: string; body?: unknown } = {},
    ) => {
      const response = await fetch(service.baseUrl + path, {
        method,
        headers: { ...(token !== undefined && { Authorization: `Bearer ${token}` }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      return { status: response.status, body: JSON.parse(await response.text()) }
    }
    expectEqual((await send('POST', '/demo/session')).status, 404, 'status before the demo is open')
    const { FunctionError, Payload } = await aws.lambda.send(
      new InvokeCommand({ FunctionName: stack.functions.owner.name, Payload: Buffer.from('{"demo":true}') }),
    )
    const opened = Buffer.from(Payload ?? []).toString('utf8')
    if (FunctionError !== undefined) throw new Error(`The owner function failed: ${opened}`)
    return async () => {
      const { status, body } = await send('POST', '/demo/session')
      expectEqual(status, 200, 'status of a demo session')
      const token = body.agent_session.access_token
      const write = await send('POST', '/projects', { token, body: { name: 'x' } })
      expectEqual([write.status, write.body.error], [403, 'FORBIDDEN'], 'response to a write')
      const read = await send('GET', '/projects/any', { token })
      expectEqual([read.status, read.body.name], [200, 'demo'], 'project of the demo')
      const { body: list } = await send('GET', '/experiments?project=any', { token })
      const ids = list.experiments.map(({ id }: { id: string }) => id)
      expectEqual(ids, ['exp_demo_signup_cta'], 'experiments of the demo')
      return `${JSON.parse(opened).records} records`
    }
  },
}
