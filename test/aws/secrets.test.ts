import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { mockClient } from 'aws-sdk-client-mock'
import { expect, test } from 'vitest'
import { createSecrets } from '#aws/secrets'
import { awsError } from '#test/support/aws-error'
import { EMULATOR_ACCESS } from '#test/support/emulators'

const MINUTE = 60_000
const failing = awsError('InternalServiceError', 'server')

function setUp() {
  const client = new SecretsManagerClient({ maxAttempts: 1, ...EMULATOR_ACCESS })
  const mock = mockClient(client)
  const clock = { now: 1_763_700_000_000 }
  const reads = () => mock.commandCalls(GetSecretValueCommand).map(({ args }) => args[0].input.SecretId)
  return { secrets: createSecrets({ client, now: () => clock.now }), mock, clock, reads }
}

test('a secret is read once in five minutes, also for callers at the same time', async () => {
  const { secrets, mock, clock, reads } = setUp()
  mock.on(GetSecretValueCommand).resolvesOnce({ SecretString: 'old' }).resolves({ SecretString: 'new' })
  expect(await Promise.all([secrets.get('emails'), secrets.get('emails')])).toEqual(['old', 'old'])
  clock.now += 4 * MINUTE
  expect(await secrets.get('emails')).toBe('old')
  expect(reads()).toEqual(['emails'])
  clock.now += 2 * MINUTE
  expect(await secrets.get('emails')).toBe('new')
})

test('two secrets with different names have different values', async () => {
  const { secrets, mock } = setUp()
  mock.on(GetSecretValueCommand, { SecretId: 'a' }).resolves({ SecretString: '1' })
  mock.on(GetSecretValueCommand, { SecretId: 'b' }).resolves({ SecretString: '2' })
  expect([await secrets.get('a'), await secrets.get('b')]).toEqual(['1', '2'])
})

test('a first read that fails is UNAVAILABLE, and the next read may succeed', async () => {
  const { secrets, mock } = setUp()
  mock.on(GetSecretValueCommand).rejectsOnce(failing).resolves({ SecretString: 'value' })
  await expect(secrets.get('a')).rejects.toMatchObject({ code: 'UNAVAILABLE', extras: { retryAfter: 5 } })
  expect(await secrets.get('a')).toBe('value')
})

test('the last value is used when a renewal fails, and the next renewal waits', async () => {
  const { secrets, mock, clock, reads } = setUp()
  mock.on(GetSecretValueCommand).resolvesOnce({ SecretString: 'last' }).rejects(failing)
  await secrets.get('a')
  clock.now += 6 * MINUTE
  expect(await secrets.get('a')).toBe('last')
  expect(await secrets.get('a')).toBe('last')
  expect(reads()).toHaveLength(2)
})

test('a rejected renewal throws, although a last value exists', async () => {
  const { secrets, mock, clock } = setUp()
  mock
    .on(GetSecretValueCommand)
    .resolvesOnce({ SecretString: 'last' })
    .rejects(awsError('ResourceNotFoundException', 'client'))
  await secrets.get('a')
  clock.now += 6 * MINUTE
  await expect(secrets.get('a')).rejects.toMatchObject({ name: 'ResourceNotFoundException' })
})

test('a binary secret throws', async () => {
  const { secrets, mock } = setUp()
  mock.on(GetSecretValueCommand).resolves({ SecretBinary: new Uint8Array([1]) })
  await expect(secrets.get('a')).rejects.toThrow('has no text')
})
