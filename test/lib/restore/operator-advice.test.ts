import { expect, test } from 'vitest'
import { adviceFor } from '#lib/restore/operator-advice'

const named = (name: string, message: string) => Object.assign(new Error(message), { name })

test.each([
  ['a stack that is not there', named('ValidationError', 'Stack with id Other does not exist'), '--stack'],
  ['no region', new Error('Region is missing'), 'AWS_REGION'],
  ['no credentials', named('CredentialsProviderError', 'Could not load credentials'), 'AWS_PROFILE'],
  [
    'credentials that are over',
    named('ExpiredTokenException', 'The security token is expired'),
    'AWS_PROFILE',
  ],
  ['a missing right', named('AccessDeniedException', 'no kinesis:GetRecords'), 'whoever may deploy'],
  ['a missing right of S3', named('AccessDenied', 'Access Denied'), 'whoever may deploy'],
])('for %s the advice says what to set', (_, error, advice) => {
  expect(adviceFor(error)).toContain(advice)
})

test('for any other error there is none', () => {
  expect(adviceFor(named('ValidationError', 'The parameter is wrong'))).toBe(null)
})
