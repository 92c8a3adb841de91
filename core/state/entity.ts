import { Entity as CheckedEntity, type Schema } from 'electrodb'

/**
 * ElectroDB compares every model with a JSON schema when it makes an entity, which takes most of the
 * processor time of createStores: 60 ms at each start of a process or a function. The models are constants of
 * the code, so test/core/state/entity.test.ts compares them instead.
 */
class UncheckedEntity extends CheckedEntity<string, string, string, Schema<string, string, string>> {
  /** The constructor of ElectroDB calls this. */
  protected _validateModel(): void {}
}

/** A kind of items of the state table. */
export const Entity = UncheckedEntity as unknown as typeof CheckedEntity
