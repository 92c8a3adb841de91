import { type Profile, readProfile } from '#core/plans/profile'
import { type Settings, SettingsError } from '#local/settings'

/** The profile of the settings. Throws SettingsError when LIMITS cannot be read. */
export function profileOf({ PROFILE, LIMITS }: Pick<Settings, 'PROFILE' | 'LIMITS'>): Profile {
  try {
    return readProfile(PROFILE, LIMITS)
  } catch (error) {
    throw new SettingsError(`LIMITS ${(error as Error).message}`)
  }
}
