import { DAY_MS } from '#core/time'
import { isLoopbackAddress, plainAddress } from '#local/http/plain-address'
import { isLoopback } from '#providers/openid'
import { type Check, type Finding, good, runChecks } from '#schemas/findings'
import type { Facts } from './facts.ts'
import { firstStop, megabytes } from './first-stop.ts'

/** Ages from which a person should look, and from which something is wrong. */
const LATE_SECONDS = 120
const BACKUP_DAYS = 2
const CERTIFICATE_DAYS = 14
/** A clock that differs by less is good enough for events, sessions and sign-in. */
const CLOCK_MS = 5_000
/** Free room above the reserve under which the disk is nearly full. */
const TIGHT_SHARE = 0.1
/** Memory of the process itself beside its budgets, MB (docs/one-machine.md, Memory). */
const PROCESS_MB = 250

/** Each check by its name, in the order in which they are told. Null: it does not apply here. */
const checks: Readonly<Record<string, Check<Facts>>> = {
  service({ state, dataDir, folder }) {
    if (state === null) {
      const hasData = folder?.hasState === true
      return {
        level: 'problem',
        text: hasData
          ? `No service runs on the data folder ${dataDir}.`
          : `${dataDir} is no data folder of Footfall.`,
        action: hasData
          ? 'Start it. On a server: systemctl start footfall, then journalctl -u footfall -n 20.'
          : 'Name the data folder of the service with --data.',
      }
    }
    const { version, pid, uptime_seconds } = state
    return good(`Version ${version} runs as process ${pid} for ${duration(uptime_seconds)}.`)
  },

  settings({ state, settingsProblem }) {
    if (settingsProblem !== null)
      return { level: 'problem', text: settingsProblem, action: 'Correct the setting: docs/settings.md.' }
    if (state === null) return good('The settings of this shell are valid; those of a unit were not read.')
    const { BASE_URL, HOST } = state.settings
    if (BASE_URL === null && !isLoopbackAddress(HOST))
      return {
        level: 'problem',
        text: `The service listens on ${HOST} without BASE_URL, so snippets and sign-in links name localhost.`,
        action: 'Set BASE_URL to the address at which browsers reach the service.',
      }
    const text = `BASE_URL is ${BASE_URL ?? `not set, so the address is ${state.base_url}`}.`
    return BASE_URL === null ? { level: 'note', text, action: 'On a server, set BASE_URL.' } : good(text)
  },

  folder({ folder, dataDir }) {
    if (folder === null) return null
    return folder.isOpenToOthers
      ? {
          level: 'problem',
          text: `Other users of the machine may read or write ${dataDir}, which has credentials.`,
          action: `chmod 700 ${dataDir}`,
        }
      : good('Only the user of the service may read the data folder.')
  },

  disk({ disk, state }) {
    if (disk === null) return null
    const reserve = state?.readings.disk
    const room = disk.free - (reserve?.needed ?? 0)
    const text = `${megabytes(disk.free)} of ${megabytes(disk.size)} MB are free${
      reserve === undefined ? '' : `, of which ${megabytes(reserve.needed)} MB are the reserve`
    }.`
    const action = 'Make room on the disk of the data folder; no restart is needed.'
    if (room <= 0 || reserve?.isReached === true)
      return { level: 'problem', text: `${text} Events are refused.`, action }
    return room < disk.size * TIGHT_SHARE ? { level: 'note', text, action } : good(text)
  },

  memory({ memory, state }) {
    if (state === null) return null
    const { QUERY_MEMORY_MB, COMPACTION_MEMORY_MB } = state.settings
    const needed = (PROCESS_MB + QUERY_MEMORY_MB + 1.5 * COMPACTION_MEMORY_MB) * 1e6
    const text = `At most about ${megabytes(needed)} of ${megabytes(memory.size)} MB are used.`
    return needed > memory.size
      ? {
          level: 'note',
          text: `Queries and compaction together may take ${megabytes(needed)} MB, and the machine has ${megabytes(memory.size)}.`,
          action: 'Lower QUERY_MEMORY_MB and COMPACTION_MEMORY_MB.',
        }
      : good(text)
  },

  clock({ isClockSet, reach, now }) {
    const difference = reach?.date == null ? 0 : Math.abs(reach.date - now)
    if (difference > CLOCK_MS)
      return {
        level: 'problem',
        text: `The clock differs by ${duration(difference / 1_000)} from that of ${reach?.address}.`,
        action: 'Let a time server set the clock: timedatectl set-ntp true.',
      }
    if (isClockSet === true) return good('A time server sets the clock.')
    return {
      level: 'note',
      text:
        isClockSet === false
          ? 'No time server sets the clock now.'
          : 'This machine does not say whether a time server sets its clock.',
      action: 'timedatectl set-ntp true, or look at the host of the container.',
    }
  },

  address({ reach }) {
    if (reach === null) return null
    const { address, status, failure, probe } = reach
    if (failure !== null)
      return {
        level: 'problem',
        text: `${address} cannot be reached from this machine (${failure}).`,
        action:
          'Look at the name in DNS, the proxy and the firewall. Behind some routers only callers from outside reach it: then try from there.',
      }
    if (probe === null)
      return {
        level: 'problem',
        text: `${address} answers with ${status}, but not from this service.`,
        action: 'Point the proxy to the port of this service, with all paths.',
      }
    return good(`${address} leads to this service.`)
  },

  proxy({ reach, state }) {
    if (reach?.probe == null || state === null) return null
    const { peer, forwarded_for, is_trusted, caller } = reach.probe
    const trusted = state.settings.TRUSTED_PROXIES ?? []
    const setting = `TRUSTED_PROXIES=${[...trusted, plainAddress(peer)].join(',')}`
    const isBehindProxy = forwarded_for !== null || reach.address.startsWith('https:')
    if (!isBehindProxy) return good('No proxy stands before the service.')
    if (forwarded_for === null)
      return {
        level: 'problem',
        text: `The proxy at ${plainAddress(peer)} does not send X-Forwarded-For, so all visitors count as one caller.`,
        action: `Let the proxy send it (docs/server.md), and set ${setting}.`,
      }
    if (!is_trusted)
      return {
        level: 'problem',
        text: `The proxy at ${plainAddress(peer)} is not trusted, so all visitors count as one caller.`,
        action: `Set ${setting}`,
      }
    return good(`The proxy at ${plainAddress(peer)} is trusted, and says that this call came from ${caller}.`)
  },

  tls({ reach, now }) {
    if (reach === null) return null
    const { certificate, address } = reach
    if (certificate === null)
      return address.startsWith('https:') || isLoopback(new URL(address).hostname)
        ? null
        : {
            level: 'problem',
            text: `${address} has no TLS, so everybody on the way can read sessions and keys.`,
            action: 'Put a proxy with https in front: docs/server.md, Behind a proxy.',
          }
    const days = Math.floor((certificate.validUntil - now) / DAY_MS)
    if (certificate.problem !== null)
      return {
        level: 'problem',
        text: `Browsers refuse the certificate of ${address} (${certificate.problem}).`,
        action: 'Get one for this name from an authority that browsers know.',
      }
    return days < CERTIFICATE_DAYS
      ? {
          level: 'note',
          text: `The certificate is valid for ${days} days only.`,
          action: 'See whether the proxy renews it.',
        }
      : good(`The certificate is valid for ${days} days.`)
  },

  sign_in({ state }) {
    if (state === null) return null
    const { sign_in, settings } = state
    const ways = ['the link of footfall admin link', ...sign_in].join(', ')
    return settings.SIGN_UP !== null && sign_in.length === 0
      ? {
          level: 'problem',
          text: 'SIGN_UP admits people, and no provider lets them sign in.',
          action:
            'Give each of them a link (footfall admin link --email), or set up a provider: docs/sign-in.md, Providers.',
        }
      : good(`The owner signs in by ${ways}.`)
  },

  backup({ backupAt, now }) {
    const action = 'footfall backup FOLDER, or systemctl enable --now footfall-backup.timer.'
    if (backupAt === null) return { level: 'note', text: 'No copy of the data is known.', action }
    const days = (now - backupAt) / DAY_MS
    const text = `The newest copy is ${duration((now - backupAt) / 1_000)} old.`
    return days > BACKUP_DAYS ? { level: 'problem', text, action } : good(text)
  },

  freshness({ state }) {
    if (state === null) return null
    const { lake_lag_seconds: lag, waiting_epochs, erasures_waiting } = state.readings
    const rest = `${waiting_epochs} epochs wait for compaction, and ${erasures_waiting} erasures for their files.`
    if (lag === null)
      return {
        level: 'problem',
        text: 'The oldest record that waits for the lake cannot be read.',
        action: 'Look at the log: docs/alarms.md, Log codes.',
      }
    return lag > LATE_SECONDS
      ? {
          level: 'problem',
          text: `Events of the last ${duration(lag)} are not in reports yet.`,
          action: 'Look at the log: LAKE_BATCH_FAILED has the reason.',
        }
      : good(`Reports have every event up to ${duration(lag)} ago; ${rest}`)
  },

  log({ state }) {
    if (state === null) return null
    const failures = Object.entries(state.failures)
    if (failures.length === 0) return good('No failure is in the log since the start.')
    const text = failures.map(([code, count]) => `${code} (${count})`).join(', ')
    return {
      level: 'note',
      text: `In the log since the start: ${text}.`,
      action: 'docs/alarms.md says what to do about each code.',
    }
  },
}

/** Judges the facts. The last finding says what would stop first. */
export function findings(facts: Facts): Finding[] {
  const found = runChecks(checks, facts)
  if (facts.state === null) return found
  const stop = firstStop(facts)
  const text = stop?.text ?? 'Nothing that would stop the service is in sight.'
  return [...found, { check: 'first_to_stop', level: stop !== null && stop.days < 7 ? 'note' : 'good', text }]
}

function duration(seconds: number): string {
  const units = [
    [86_400, 'days'],
    [3_600, 'hours'],
    [60, 'minutes'],
  ] as const
  const [size, name] = units.find(([each]) => seconds >= 2 * each) ?? [1, 's']
  return `${Math.floor(seconds / size)} ${name}`
}
