import { type FunctionName, functions } from '#schemas/functions'

/** Compares the settings that the stack gives to a function with those that its schema demands. */
export function findSettingProblems(name: FunctionName, settings: ReadonlySet<string>): string[] {
  const schemaSettings = Object.keys(functions[name].shape)
  const missing = schemaSettings.filter(setting => !settings.has(setting))
  const unknown = [...settings].filter(setting => !schemaSettings.includes(setting))
  return [
    ...missing.map(
      setting =>
        `Function ${name} lacks its setting ${setting}. Set it with a bind method in lib/service.ts.`,
    ),
    ...unknown.map(
      setting => `Function ${name} has no setting ${setting} in schemas/functions.ts. Add it there.`,
    ),
  ]
}
