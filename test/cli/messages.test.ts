import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { actions } from '#cli/errors'
import { clientMessagesBelow } from '#test/schemas/client-messages'

/** What people read of a failed command: what is wrong, and on the next line what to do. */

const root = resolve(import.meta.dirname, '../..')
const messages = clientMessagesBelow(root, ['cli']).filter(({ text }) => text !== null)
const texts = [...messages, ...Object.entries(actions).map(([place, text]) => ({ place, text }))]
  .map(({ place, text }) => ({ place, text: String(text) }))
  // A text that comes from elsewhere is checked there.
  .filter(({ text }) => /\w/.test(text.replaceAll('{}', '')))

test('an error of the command line is a sentence, which may end with a command to copy', () => {
  const isSentence = (text: string) =>
    /^(\p{Lu}|\{\})/u.test(text) && /([^.…]\.|: (footfall|npm|--|\{\}).*|\. \{\})$/.test(text)
  expect(texts.filter(({ text }) => !isSentence(text))).toEqual([])
})

test('the check sees messages, advice, calls of `usage` and the table of codes', () => {
  const seen = new Set(texts.map(({ text }) => text))
  for (const text of ['No keychain works here.', 'Use https. In a network that you trust, add --insecure.'])
    expect(seen).toContain(text)
  for (const text of ['Use one of them.', 'Sign in: footfall login']) expect(seen).toContain(text)
})
