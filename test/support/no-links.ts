import type { UserResolver } from '#core/identity/user-resolver'

/** For live reads of a project without links: every id stands for itself. */
export const NO_LINKS: UserResolver = { resolveUsers: async (_, events) => events }
