/** What to do about an error of AWS: by its name, or by its text where AWS has one name for many errors. */
const ADVICE: readonly { error: RegExp; advice: string }[] = [
  {
    error: /^ValidationError: Stack .* does not exist/,
    advice: 'Name the stack with --stack, and the region that it is in with AWS_REGION.',
  },
  {
    error: /Region is missing/,
    advice: 'Set AWS_REGION to the region of the stack.',
  },
  {
    error: /^(CredentialsProviderError|ExpiredToken|InvalidClientTokenId|UnrecognizedClientException)/,
    advice: 'Set credentials of AWS that are valid, such as AWS_PROFILE after aws sso login.',
  },
  {
    error: /^AccessDenied|is not authorized to perform/,
    advice: 'Use the credentials of whoever may deploy the stack.',
  },
]

/** What the operator can do about an error of AWS, or null when it is none of those that they can mend. */
export function adviceFor({ name, message }: Error): string | null {
  return ADVICE.find(({ error }) => error.test(`${name}: ${message}`))?.advice ?? null
}
