import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findKept } from '#lib/find-kept'
import { correctEmulator } from '#rehearsal/corrections'
import { readStack, type Stack } from '#rehearsal/stack'
import type { World } from '#rehearsal/world'
import { expectEqual } from './check.ts'
import { readRetainedData } from './retained-data.ts'

/**
 * After `cdk destroy`: a new stack takes over what the old one has kept, and is the same service again. The
 * emulator's CloudFront has another host name then, so the requests go to the API with the key of the edge.
 */
export async function adopt(world: World): Promise<{ adopted: Stack; details: string }> {
  const { aws, stack, cdk, gate, folder, patience } = world
  const before = await readRetainedData(aws, stack)
  const { mapping } = await findKept(aws.cloudFormation, stack.name)
  const mappingFile = join(folder, 'adopt.json')
  await writeFile(mappingFile, JSON.stringify(mapping))
  await cdk.import(mappingFile)
  const { outputs } = await cdk.deploy()
  const adopted = await readStack(aws, outputs, stack.name)
  await correctEmulator(aws, adopted, { port: gate.port, patience })
  for (const name of ['bucket', 'table', 'stream'] as const)
    expectEqual(adopted[name], stack[name], `${name} of the new stack`)

  const call = callsOf(world, adopted)
  const projects = await call('/projects')
  expectEqual(projects.status, 200, 'status of the projects with the key of the old stack')
  const [project] = projects.body.projects as { project_token: string }[]
  const body = JSON.stringify({ token: project?.project_token, event: 'adopted' })
  expectEqual((await call('/track', { method: 'POST', body })).status, 202, 'status of an event')
  const after = await readRetainedData(aws, adopted)
  const remaining = new Set(after.objects)
  const missing = before.objects.filter(object => !remaining.has(object) && !object.startsWith('hot'))
  expectEqual(missing, [], 'objects that the new stack has lost')
  expectEqual(after.records.length, before.records.length + 1, 'records of the stream')
  const details = `${after.objects.length} objects, ${after.items} items; the old key and the old tokens work`
  return { adopted, details }
}

/** Calls the API of a stack with the key of the owner, and with that of its edge. */
export function callsOf({ gate, file }: World, { apiId, edgeKey }: Stack) {
  return async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${gate.endpoint}/_aws/execute-api/${apiId}/$default${path}`, {
      ...init,
      headers: { 'X-API-Key': file.api_key, 'X-Footfall-Edge': edgeKey },
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
}
