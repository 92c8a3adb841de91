import { setTimeout as sleep } from 'node:timers/promises'
import { AthenaClient } from '@aws-sdk/client-athena'
import { SNSClient } from '@aws-sdk/client-sns'
import { gatherStackFacts } from '#lib/doctor/facts'
import { stackFindings } from '#lib/doctor/findings'
import { DEPLOYER } from '#rehearsal/aws'
import type { World } from '#rehearsal/world'
import { findingsText } from '#schemas/findings'
import { type Check, expectEqual } from './check.ts'

const MINUTE_MS = 60_000
/** The deployment before this check has epochs of a minute. */
const COMPACTION_MS = 15 * MINUTE_MS
/**
 * Planned in place of the recorded statements, which need minutes to be recorded, and of which Trino plans
 * each in
 * `npm run test:trino`.
 */
const STATEMENTS = ["SELECT count(*) FROM segment_events WHERE bucket = 1 AND project_id = 'p'"]
/**
 * What the default options leave out, an address for alarms, and what the emulator cannot do (known-gaps.ts):
 * headers of the policy of CloudFront, bytes that are not UTF-8, which its API decodes, and streamed answers.
 */
const EXPECTED_PROBLEMS = ['alarms', 'headers', 'not_utf8', 'stream']

export const doctor: Check = {
  name: 'npm run doctor finds nothing but what the emulator cannot do, before and after the compaction of its events',
  async act(world) {
    const facts = await gatherStackFacts(clientsOf(world), world.stack.name, {
      apiKey: world.file.api_key,
      statements: STATEMENTS,
      visibleMs: world.file.visible_within_s * 1_000,
      compactionMs: COMPACTION_MS * world.patience,
      now: Date.now,
      sleep,
      print: () => {},
      reachedAt: {
        baseUrl: world.service.baseUrl,
        apiUrl: `${world.gate.endpoint}/_aws/execute-api/${world.stack.apiId}/$default`,
      },
    })
    const findings = stackFindings(facts)
    const problems = findings.filter(({ level }) => level === 'problem')
    const unexpected = problems.filter(({ check }) => !EXPECTED_PROBLEMS.includes(check))
    expectEqual(findingsText(unexpected), '', 'findings of the doctor')
    expectEqual(facts.trial?.compaction?.afterMs == null, false, 'whether the compaction was missed')
    return async () =>
      `${findings.length} findings, of which the emulator causes ${problems.map(({ check }) => check).join(', ')}`
  },
}

function clientsOf({ aws, athena, gate }: World) {
  return {
    ...aws,
    athena: new AthenaClient({ ...DEPLOYER, endpoint: athena.endpoint }),
    sns: new SNSClient({ ...DEPLOYER, endpoint: gate.endpoint }),
  }
}
