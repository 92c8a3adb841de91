import { afterAll, expect, test } from 'vitest'
import { billedEngine, partsOf } from '#test/support/billed-engine'
import { FORTY_VISITS, openMcpService } from '#test/support/mcp-service'

let billed: ReturnType<typeof billedEngine> | undefined
const service = await openMcpService({
  isPatient: true,
  engineOver: engine => {
    billed = billedEngine(engine)
    return billed.engine
  },
})
afterAll(() => service.close())

test('the tool `changes` has at most four statements on Athena, and the totals of an engine that packs none', async () => {
  const { state, statements } = billed ?? expect.unreachable()
  const project = await service.createProject()
  await service.fill([[project, FORTY_VISITS]])
  const client = await service.connect()
  const changes = () => client.callTool({ name: 'changes', arguments: { project: project.name } })
  state.bills = false
  const unpacked = await changes()
  state.bills = true
  statements.length = 0
  const packed = await changes()
  expect(packed.isError).not.toBe(true)
  const { totals } = unpacked.structuredContent as { totals: object }
  expect(packed.structuredContent).toMatchObject({ totals })
  expect(statements.length).toBeLessThanOrEqual(4)
  expect(statements.some(statement => partsOf(statement) > 4)).toBe(true)
})
