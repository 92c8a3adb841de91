import type { RequestErasureServices } from '#core/erasure/request-erasure'
import type { IdentityViewServices } from '#core/identity/identity-view'
import type { UserResolver } from '#core/identity/user-resolver'
import type { GuestPlaces } from '#core/limits/guest-places'
import type { Limits } from '#core/limits/limit-state'
import type { LiveBuffer } from '#core/live/buffer'
import type { Clock } from '#core/ports'
import type { ReadProject } from '#core/projects/read-project'
import type { Segments } from '#core/projects/segments'
import type { ProjectStore } from '#core/projects/store'
import type { Replays } from '#core/replays/open-replays'
import type { KeptAnswers } from '#core/reports/run/kept-answers'
import type { ReadServices } from '#core/reports/run/read'
import type { UsageStore } from '#core/usage/store'
import type { AccountChainServices } from '#lambdas/chain/account-chain'
import type { Live } from '#schemas/live'
import type { ExperimentResultsServices } from './experiments.ts'
import type { VerifyScanServices } from './verify-scan.ts'

export type ReportsServices = AccountChainServices &
  ReadServices &
  IdentityViewServices &
  RequestErasureServices &
  ExperimentResultsServices &
  VerifyScanServices & {
    projects: Pick<ProjectStore, 'list' | 'resolveRecent' | 'forgetRecent'>
    readProject: ReadProject
    segments: Pick<Segments, 'conditionsOf'>
    limits: Pick<Limits, 'check' | 'guestOf'>
    guestPlaces: GuestPlaces
    keptAnswers: KeptAnswers
    buffer: LiveBuffer
    /**
     * How clients should follow what happens: on AWS an open stream holds an execution, and a request every
     * few seconds costs a fifth of it.
     */
    follow: Live['follow']
    users: UserResolver
    usage: Pick<UsageStore, 'bots' | 'totals'>
    clock: Clock
    replays: Pick<Replays, 'ofPerson' | 'countReplays' | 'findRecorded' | 'links'>
  }
