import { RemovalPolicy } from 'aws-cdk-lib'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import { Secret } from 'aws-cdk-lib/aws-secretsmanager'
import { Construct } from 'constructs'
import { acceptFindings } from './accept-findings.ts'
import type { Config } from './config.ts'
import { dataKey } from './data-key.ts'

const KEY_CHARS = 48
/**
 * The accepted keys are a list with commas, so a key has only letters and digits. The characters are named
 * one by one, because the emulator of the rehearsal ignores `excludePunctuation`.
 */
const PUNCTUATION = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'

/**
 * The secret that CloudFront sends with each request, and that every HTTP function demands. Secrets Manager
 * makes it, and CloudFormation puts it into the distribution and into the settings of the functions, so
 * neither the template nor the output of a deployment has it. Who may read the settings of a function can
 * read it: it opens only what the public address opens too, without the web ACL.
 *
 * An update changes the distribution before the functions, because they need its address. So a new key is
 * first accepted and then sent: the option edgeKeys is `1`, then `1,2`, then `2`.
 */
export class EdgeKeys extends Construct {
  /** What CloudFront sends: the first key of the option. */
  readonly sent: string
  /** What the functions accept: all keys, with commas between them. */
  readonly accepted: string

  constructor(scope: Construct, id: string, config: Config) {
    super(scope, id)
    const encryptionKey = dataKey(this, config)
    const values = config.edgeKeys.split(',').map(version => this.createKey(version, encryptionKey))
    this.sent = values[0] ?? ''
    this.accepted = values.join(',')
  }

  private createKey(version: string, encryptionKey: IKey | undefined): string {
    const secret = new Secret(this, `Key${version}`, {
      description: 'Footfall: what CloudFront sends to the functions',
      generateSecretString: { passwordLength: KEY_CHARS, excludeCharacters: PUNCTUATION },
      ...(encryptionKey && { encryptionKey }),
      removalPolicy: RemovalPolicy.DESTROY,
    })
    acceptFindings(secret, {
      'AwsSolutions-SMG4':
        'A rotation by itself would change the secret, but not the distribution and the functions. The option edgeKeys replaces it.',
    })
    return secret.secretValue.unsafeUnwrap()
  }
}
