import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeHot } from '#core/lake/consume/encode-hot'
import { hotColumnsOf } from '#core/lake/consume/hot-columns'
import { hotUserNumbers, mayHaveHotUsers } from '#core/lake/consume/hot-users'
import { shortKey } from '#core/lake/consume/id-keys'
import { request } from '#test/support/compactor-lake'
import { propertySettings } from '#test/support/depth'

type Sent = { project: string; user: string | null }

const numbersOf = (...sent: Sent[]) =>
  hotUserNumbers(sent.map(({ project, user }) => ({ project_id: project, user_key: shortKey(user) })))
const fileOf = (...sent: Sent[]) =>
  encodeHot(hotColumnsOf(sent.map(({ project, user }) => request({ project, events: [{ user_id: user }] }))))

const sentEvents = fc.array(
  fc.record({
    project: fc.constantFrom('proj_1', 'proj_2', 'proj_3'),
    user: fc.constantFrom(null, 'anna', 'bert', 'carl'),
  }),
  { minLength: 1, maxLength: 20 },
)

test('the end of a hot file says which users and projects it has, and no others', () => {
  fc.assert(
    fc.property(sentEvents, sent => {
      const file = fileOf(...sent)
      for (const project of ['proj_1', 'proj_2', 'proj_3', 'proj_4']) {
        for (const user of [null, 'anna', 'bert', 'carl', 'dora']) {
          const isThere = sent.some(each => each.project === project && (user === null || each.user === user))
          expect(mayHaveHotUsers(file, numbersOf({ project, user }))).toBe(isThere)
        }
      }
    }),
    propertySettings(100),
  )
})

test('an end that is too short says how much of it is needed, and then it answers', () => {
  const users = Array.from({ length: 3_000 }, (_, i) => ({ project: 'proj_1', user: `user ${i}` }))
  const file = fileOf(...users)
  const [last, other] = [numbersOf(users[2_999] as Sent), numbersOf({ project: 'proj_1', user: 'x' })]
  const asked: number[] = []
  for (let bytes = 8; ; ) {
    const answer = mayHaveHotUsers(file.subarray(-bytes), last)
    if (typeof answer !== 'number') {
      expect(answer).toBe(true)
      expect(mayHaveHotUsers(file.subarray(-bytes), other)).toBe(false)
      break
    }
    asked.push(answer)
    bytes = answer
  }
  expect(asked).toHaveLength(2)
  expect(asked[1]).toBeLessThan(file.length)
})

/** A file that is changed so many bytes before FFU1. */
function changed(before: number): Uint8Array {
  const file = Buffer.from(fileOf({ project: 'p', user: 'u' }))
  const at = file.lastIndexOf('FFU1') - before
  file.writeUInt8(file.readUInt8(at) ^ 1, at)
  return file
}

test.each([
  ['no bytes', new Uint8Array(0)],
  ['a file of another version', changed(0)],
  ['a file whose numbers are damaged', changed(12)],
  ['a file whose CRC is damaged', changed(4)],
])('%s may have everybody', (_, file) => {
  expect(mayHaveHotUsers(file, numbersOf({ project: 'q', user: 'x' }))).toBe(true)
})
