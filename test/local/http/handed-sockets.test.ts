import { expect, test } from 'vitest'
import { handedSockets } from '#local/http/handed-sockets'

test.each([
  ['two sockets of this process', { LISTEN_PID: '7', LISTEN_FDS: '2', LISTEN_FDNAMES: 'a:b' }, [3, 4]],
  ['those of another process', { LISTEN_PID: '8', LISTEN_FDS: '2' }, []],
  ['no number of sockets', { LISTEN_PID: '7', LISTEN_FDS: 'x' }, []],
  ['no supervisor', {}, []],
])('%s', (_, variables, expected) => {
  const env: NodeJS.ProcessEnv = { ...variables, PATH: '/bin' }
  expect(handedSockets(env, 7)).toEqual(expected)
  // No program that the service starts takes them for its own.
  expect(env).toEqual({ PATH: '/bin' })
})
