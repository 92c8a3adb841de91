import type { Adapter, AdapterPayload } from 'oidc-provider'

type Entry = { payload: AdapterPayload; until: number }

/** Sign-ins under way last minutes: a restart may forget them. */
const entries = new Map<string, Entry>()
const MAX_ENTRIES = 10_000

/** Where the embedded provider keeps sign-ins that are under way: in the memory of the process. */
export class MemoryAdapter implements Adapter {
  private readonly model: string

  constructor(model: string) {
    this.model = model
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<void> {
    entries.set(this.key(id), { payload, until: Date.now() + expiresIn * 1_000 })
    // A Map iterates in the order of insertion, so the first one is the oldest.
    if (entries.size > MAX_ENTRIES) entries.delete(entries.keys().next().value as string)
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const entry = entries.get(this.key(id))
    if (entry === undefined || entry.until > Date.now()) return entry?.payload
    entries.delete(this.key(id))
    return undefined
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return this.findWhere(payload => payload.uid === uid)
  }

  async findByUserCode(): Promise<undefined> {
    // The device flow is off.
  }

  async consume(id: string): Promise<void> {
    const entry = entries.get(this.key(id))
    if (entry !== undefined) entry.payload.consumed = Math.floor(Date.now() / 1_000)
  }

  async destroy(id: string): Promise<void> {
    entries.delete(this.key(id))
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    for (const [key, { payload }] of entries) if (payload.grantId === grantId) entries.delete(key)
  }

  private findWhere(matches: (payload: AdapterPayload) => boolean): AdapterPayload | undefined {
    for (const [key, { payload, until }] of entries) {
      if (key.startsWith(`${this.model}:`) && until > Date.now() && matches(payload)) return payload
    }
    return undefined
  }

  private key(id: string): string {
    return `${this.model}:${id}`
  }
}
