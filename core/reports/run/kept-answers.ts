import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { Now } from '#core/ports'
import { orUnavailable, type StateTable } from '#core/state/state-table'

/** An answer that guests may get again (docs/api/limits.md#guests). */
export type KeptAnswer = {
  status: number
  /** JSON. */
  body: string
  headers: Record<string, string>
  /** When its run began, Unix ms. */
  startedAt: number
}

/**
 * The answers of a minute, by their question. The question names everything that decides the answer, and the
 * minute, so that an answer is never used for longer than that.
 */
export type KeptAnswers = {
  get(question: string): Promise<KeptAnswer | null>
  /** Keeps the answer if it is small enough. */
  put(question: string, answer: KeptAnswer): Promise<void>
}

/** The number of the minute of a Unix ms. */
export function minuteOf(ms: number): number {
  return Math.floor(ms / 60_000)
}

/** Most memory of answers in a process, characters, and their number. */
const MEMORY = { characters: 16_000_000, answers: 500 }
/** A larger answer is not kept in memory, so that one question does not push out all others. */
const MAX_CHARACTERS = 2_000_000
/**
 * The largest kept item, bytes. A write of DynamoDB costs by the kilobyte: this one as much as the cheapest
 * statement of Athena. An answer of some thousand rows has that size, compressed.
 */
const MAX_ITEM_BYTES = 64_000
/** The table deletes an item this long after its minute, seconds, or some hours later. */
const ITEM_SECONDS = 120

const compress = promisify(gzip)
const decompress = promisify(gunzip)

/** Keeps answers in the memory of a process. The oldest ones go first. */
export function keepInMemory(): KeptAnswers {
  const answers = new Map<string, KeptAnswer>()
  let characters = 0

  function drop(question: string, { body }: KeptAnswer): void {
    answers.delete(question)
    characters -= body.length
  }

  return {
    get: async question => answers.get(question) ?? null,
    async put(question, answer) {
      const known = answers.get(question)
      if (known !== undefined) drop(question, known)
      if (answer.body.length > MAX_CHARACTERS) return
      for (const [oldest, old] of answers) {
        const isFull = answers.size >= MEMORY.answers || characters + answer.body.length > MEMORY.characters
        if (!isFull && minuteOf(old.startedAt) === minuteOf(answer.startedAt)) break
        drop(oldest, old)
      }
      answers.set(question, answer)
      characters += answer.body.length
    },
  }
}

/** Keeps answers in the state table, for all processes. */
export function keepInTable({ client, table, clock }: StateTable & { clock: Now }): KeptAnswers {
  const keyOf = (question: string) => ({ pk: `answer#${hash('sha256', question)}`, sk: 'answer' })
  return {
    async get(question) {
      const { Item } = await orUnavailable(client.get({ TableName: table, Key: keyOf(question) }))
      if (Item === undefined) return null
      return JSON.parse(String(await decompress(Item.answer as Uint8Array))) as KeptAnswer
    },
    async put(question, answer) {
      const bytes = await compress(JSON.stringify(answer))
      if (bytes.length > MAX_ITEM_BYTES) return
      const expires_at = Math.ceil(clock.now() / 1_000) + ITEM_SECONDS
      const Item = { ...keyOf(question), answer: new Uint8Array(bytes), expires_at }
      await orUnavailable(client.put({ TableName: table, Item }))
    },
  }
}
