import type { Tool } from './tool.ts'
import { changes } from './tools/changes.ts'
import { check } from './tools/check.ts'
import { journeys } from './tools/journeys.ts'
import { manage } from './tools/manage.ts'
import { overview } from './tools/overview.ts'
import { people } from './tools/people.ts'
import { query } from './tools/query.ts'
import { remove } from './tools/remove.ts'

/** At most this many: clients show all of them to the model in each session. */
export const MAX_TOOLS = 8

/** Every tool, in the order in which clients list them. */
export const tools: readonly Tool[] = [overview, query, journeys, people, changes, check, manage, remove]
