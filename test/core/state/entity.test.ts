import { globSync, readFileSync } from 'node:fs'
import { Entity as CheckedEntity } from 'electrodb'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { createClientDocuments } from '#core/access/client-documents'
import { createAccessStores } from '#core/access-stores'
import { createBilling } from '#core/billing/billing'
import { createExportStore } from '#core/exports/export-store'
import { profiles } from '#core/plans/profile'
import { Entity } from '#core/state/entity'
import { createLakeStores, createStores } from '#core/stores'
import { createFakeClock } from '#test/support/fake-clock'
import { openTestState, type TestState } from '#test/support/test-state'

type Model = { model: { entity: string } }
/** The method of ElectroDB that throws for a model that it does not accept. Entity of core/ leaves it out. */
type Checked = { _validateModel(model: Model): void }

const checked = CheckedEntity.prototype as unknown as Checked

let state: TestState
beforeAll(async () => {
  state = await openTestState()
})
afterAll(() => state.close())

test('ElectroDB accepts the model of every entity of core', () => {
  const accepted: string[] = []
  const spy = vi.spyOn(Entity.prototype as unknown as Checked, '_validateModel').mockImplementation(model => {
    checked._validateModel(model)
    accepted.push(model.model.entity)
  })
  onTestFinished(() => spy.mockRestore())
  const services = { ...state, clock: createFakeClock(), log: () => {} }
  const stores = createStores(state, services.clock)
  createLakeStores({ ...state, lake: {} as never }, services.clock)
  createAccessStores({ ...services, ...stores, profile: profiles.own, admitted: [] })
  createBilling({ ...services, ...stores, payments: {} as never })
  createClientDocuments({ ...services, outbound: {} as never })
  createExportStore(services)

  const sources = globSync('core/**/*.ts').map(file => readFileSync(file, 'utf8'))
  const named = sources.flatMap(source =>
    [...source.matchAll(/entity: '(\w+)', version/g)].map(([, name]) => name),
  )
  expect(sources.flatMap(source => source.match(/new Entity\(/g) ?? [])).toHaveLength(named.length)
  expect([...new Set(accepted)].toSorted()).toEqual(named.toSorted())
})

test('ElectroDB refuses a model that is wrong, so the test above can fail', () => {
  expect(() => checked._validateModel({ model: { entity: 'no-attributes' } })).toThrow('attributes')
})
