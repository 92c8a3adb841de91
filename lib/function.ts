import { Duration, RemovalPolicy, Size, Stack } from 'aws-cdk-lib'
import type { Table } from 'aws-cdk-lib/aws-dynamodb'
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { Stream } from 'aws-cdk-lib/aws-kinesis'
import {
  ApplicationLogLevel,
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import type { Bucket, CfnBucket } from 'aws-cdk-lib/aws-s3'
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager'
import type { Queue } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import { tables } from '#schemas/columns'
import type { FunctionName } from '#schemas/functions'
import { acceptFindings } from './accept-findings.ts'
import type { Catalog } from './catalog.ts'
import type { Config } from './config.ts'
import { dataKey, KEY_USES, type KeyService, viaService } from './data-key.ts'
import { findSettingProblems } from './function-settings.ts'
import { DUCKDB_FUNCTIONS, functionSize, READS_MEMORY_MB } from './function-sizes.ts'
import { STREAM_MAPPING_ACTIONS, STREAM_RETENTION_ACTIONS } from './stream-actions.ts'
import { allowTextModel } from './text-model.ts'

export type ServiceFunctionProps = {
  name: FunctionName
  /** Folder with the function's bundle (lib/bundles.ts). */
  folder: string
  config: Config
  /**
   * Concurrent executions of the account that only this function may use; undefined: it shares those of all
   * functions.
   */
  reserved?: number | undefined
}

/** Actions on single items and on the items of one partition key. No function scans the table. */
export type TableAction =
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'BatchWriteItem'
  | 'Scan'

/** For each action, the prefixes of the S3 bucket where it is allowed. */
export type LakeAccess = { list?: string[]; get?: string[]; put?: string[]; delete?: string[] }

type Conditions = Record<string, Record<string, string[]>>

/**
 * A function of schemas/functions.ts, with its own role and log. Each `bind…` connects it to a resource: one
 * call sets the setting and allows the actions. The synthesis stops when the settings of a function differ
 * from its schema.
 */
export class ServiceFunction extends Construct {
  readonly name: FunctionName
  readonly lambda: LambdaFunction
  readonly memoryMb: number
  private readonly settings = new Set<string>()
  /** The option keyArn. */
  private readonly keyArn: string | undefined

  constructor(scope: Construct, id: string, { name, folder, config, reserved }: ServiceFunctionProps) {
    super(scope, id)
    this.name = name
    this.keyArn = config.keyArn
    const encryptionKey = dataKey(this, config)
    const { description, memoryMb, timeoutSeconds, diskMb, architecture } = functionSize(name, config)
    this.memoryMb = memoryMb
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') })
    const logGroup = new LogGroup(this, 'Log', {
      retention: config.logRetentionDays,
      ...(encryptionKey && { encryptionKey }),
      removalPolicy: RemovalPolicy.DESTROY,
    })
    logGroup.grantWrite(role)
    this.lambda = new LambdaFunction(this, 'Function', {
      description: `Footfall: ${description}`,
      code: Code.fromAsset(folder),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture:
        (architecture ?? config.architecture) === 'arm64' ? Architecture.ARM_64 : Architecture.X86_64,
      memorySize: memoryMb,
      timeout: Duration.seconds(timeoutSeconds),
      ...(diskMb !== undefined && { ephemeralStorageSize: Size.mebibytes(diskMb) }),
      ...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),
      role,
      logGroup,
      // Leaves out the three lines that Lambda writes for each call. They would be most of the log and of its
      // cost. The few calls with DuckDB keep them, because they have the memory that was used.
      loggingFormat: LoggingFormat.JSON,
      systemLogLevelV2: runsDuckdb(name) ? SystemLogLevel.INFO : SystemLogLevel.WARN,
      // Metrics are log lines without a level, which Lambda treats as INFO and would drop at a higher level.
      // So aws/instruments.ts filters our own INFO lines instead.
      applicationLogLevelV2:
        config.logLevel === 'DEBUG' ? ApplicationLogLevel.DEBUG : ApplicationLogLevel.INFO,
      tracing: config.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
    })
    if (config.tracing) {
      acceptFindings(role, {
        'AwsSolutions-IAM5[Resource::*]':
          'PutTraceSegments and PutTelemetryRecords of X-Ray have no resource-level permissions.',
      })
    }
    this.set('POWERTOOLS_SERVICE_NAME', name)
    this.set('POWERTOOLS_METRICS_NAMESPACE', config.stackName)
    this.set('POWERTOOLS_LOG_LEVEL', config.logLevel)
    this.node.addValidation({ validate: () => findSettingProblems(name, this.settings) })
  }

  /** Allows the actions on the state table that the function's code uses. */
  bindTable(table: Table, actions: readonly TableAction[]): this {
    this.allow(
      actions.map(action => `dynamodb:${action}`),
      [table.tableArn],
    )
    return this.allowKey('dynamodb', 'table').set('TABLE_NAME', table.tableName)
  }

  bindStreamWriter({ streamArn }: Stream): this {
    this.allow(['kinesis:PutRecords'], [streamArn])
    return this.allowKey('kinesis', 'write').set('STREAM_ARN', streamArn)
  }

  /**
   * Allows what an event source mapping needs, and what reading a claimed range again needs. ListStreams is
   * not about one stream, but Lambda refuses a mapping without it.
   */
  bindStreamReader({ streamArn }: Stream): this {
    return this.bindStreamMapping({ streamArn }).set('STREAM_ARN', streamArn)
  }

  /** Allows looking at the oldest unread records of the stream, and keeping them longer. */
  bindStreamRetention({ streamArn }: Stream, { retentionHours }: Config): this {
    this.allow(STREAM_RETENTION_ACTIONS, [streamArn])
    return this.allowKey('kinesis', 'read')
      .set('STREAM_ARN', streamArn)
      .set('RETENTION_HOURS', String(retentionHours))
  }

  /** Allows what an event source mapping needs, for a function that does not read the stream itself. */
  bindStreamMapping({ streamArn }: Pick<Stream, 'streamArn'>): this {
    return this.allow(STREAM_MAPPING_ACTIONS, [streamArn]).allowKey('kinesis', 'read')
  }

  /** Allows access to the lake's objects under prefixes. A prefix ends with a slash. */
  bindLake(bucket: Bucket, access: LakeAccess): this {
    this.allowObjects(bucket, access)
    return this.set('BUCKET_NAME', bucket.bucketName)
  }

  /** Allows calling the function that reads pages, and asking the text model if there is one. */
  bindAnalyses({ lambda }: ServiceFunction, { textModel = '' }: Config): this {
    this.allow(['lambda:InvokeFunction'], [lambda.functionArn])
    if (textModel !== '') allowTextModel(this, textModel)
    return this.set('SCAN_FUNCTION', lambda.functionName).set('TEXT_MODEL', textModel)
  }

  bindJobQueue(queue: Queue): this {
    this.allow(['sqs:SendMessage'], [queue.queueArn])
    return this.allowKey('sqs', 'write').set('JOB_QUEUE_URL', queue.queueUrl)
  }

  /**
   * Allows Athena statements over the lake's tables. Athena uses the rights of the caller, so those are here
   * too.
   */
  bindCatalog({ name, tables: names }: Catalog, bucket: Bucket, { reads }: Config): this {
    const arn = (service: string, resource: string) => Stack.of(this).formatArn({ service, resource })
    this.allow(
      ['StartQueryExecution', 'GetQueryExecution', 'GetQueryResults', 'StopQueryExecution'].map(
        action => `athena:${action}`,
      ),
      [arn('athena', `workgroup/${name}`)],
    )
    // Athena always reads the database `default` too, whatever database a statement names.
    const databases = [name, 'default'].map(database => arn('glue', `database/${database}`))
    this.allow(['glue:GetDatabase'], [arn('glue', 'catalog'), ...databases])
    this.allow(
      ['glue:GetTable', 'glue:GetPartition', 'glue:GetPartitions'],
      [
        arn('glue', 'catalog'),
        arn('glue', `database/${name}`),
        ...names.map(table => arn('glue', `table/${name}/${table}`)),
      ],
    )
    const lake = names.map(table => `${tables[table].prefix}/`)
    this.allowObjects(bucket, { list: lake, get: lake })
    this.allow(['s3:GetBucketLocation'], [bucket.bucketArn])
    return this.allowKey('athena', 'results')
      .set('ATHENA_WORKGROUP', name)
      .set('GLUE_DATABASE', name)
      .set('BUCKET_NAME', bucket.bucketName)
      .set('READS_MEMORY_MB', String(reads === 'auto' ? READS_MEMORY_MB : 0))
  }

  /** Plans, providers and payments, and the right to read their secret. */
  bindAccess(config: Config): this {
    if (config.accessSecretArn !== undefined) this.allowSecret(config.accessSecretArn, config)
    return this.bindPlans(config)
      .set('SIGN_UP', config.signUp)
      .set('PROVIDER_CREDENTIALS', config.accessSecretArn ?? '')
      .set('OPENID_ISSUER', config.openIdIssuer ?? '')
      .set('OPENID_CLIENT_ID', config.openIdClientId ?? '')
      .set('OPENID_LABEL', config.openIdLabel)
      .set('CODE_HOST_URL', config.codeHostUrl)
      .set('CODE_HOST_API_URL', config.codeHostApiUrl)
      .set('CODE_HOST_CLIENT_ID', config.codeHostClientId ?? '')
      .set('CODE_HOST_LABEL', config.codeHostLabel)
      .set('STRIPE_PRICE', config.stripePrice ?? '')
  }

  /**
   * Payments, and the right to read the secret with their keys. Without payments the function may not read
   * it.
   */
  bindPayments(config: Config): this {
    const { accessSecretArn = '', stripePrice = '' } = config
    if (stripePrice !== '') this.allowSecret(accessSecretArn, config)
    return this.set('PROVIDER_CREDENTIALS', stripePrice === '' ? '' : accessSecretArn).set(
      'STRIPE_PRICE',
      stripePrice,
    )
  }

  /** Where feedback is delivered. */
  bindFeedback({ feedbackWebhook = '', feedbackTopicArn = '', keyArns = '' }: Config): this {
    if (feedbackTopicArn !== '') {
      this.allow(['sns:Publish'], [feedbackTopicArn])
      if (keyArns !== '') this.allow(['kms:Decrypt', 'kms:GenerateDataKey'], keyArns.split(','))
    }
    return this.set('FEEDBACK_WEBHOOK', feedbackWebhook).set('FEEDBACK_TOPIC', feedbackTopicArn)
  }

  /** Allows reading the key of the e-mail index. */
  bindEmailKey({ secretArn }: Secret): this {
    this.allow(['secretsmanager:GetSecretValue'], [secretArn])
    return this.allowKey('secretsmanager', 'read').set('EMAIL_KEY_ARN', secretArn)
  }

  /** The profile of plans and limits. */
  bindPlans({ profile, limits }: Config): this {
    return this.set('PROFILE', profile).set('LIMITS', limits)
  }

  /** Sets a setting by its name in schemas/functions.ts. */
  set(setting: string, value: string): this {
    this.lambda.addEnvironment(setting, value)
    this.settings.add(setting)
    return this
  }

  /** Allows the function the actions on the resources. */
  allow(actions: string[], resources: string[], conditions?: Conditions): this {
    const statement = new PolicyStatement({ actions, resources, ...(conditions && { conditions }) })
    this.lambda.addToRolePolicy(statement)
    return this
  }

  /**
   * Allows listing and access under prefixes only. S3 checks the right to list also when a requested object
   * does not exist: without it the response is 403 instead of 404.
   */
  allowObjects(bucket: Bucket, access: LakeAccess): this {
    const { list = [], ...objects } = access
    if (list.length > 0) {
      const patterns = list.map(prefix => `${prefix}*`)
      this.allow(['s3:ListBucket'], [bucket.bucketArn], { StringLike: { 's3:prefix': patterns } })
    }
    for (const [action, prefixes] of Object.entries({
      's3:GetObject': objects.get ?? [],
      's3:PutObject': objects.put ?? [],
      's3:DeleteObject': objects.delete ?? [],
    })) {
      if (prefixes.length === 0) continue
      this.allow(
        [action],
        prefixes.map(prefix => bucket.arnForObjects(`${prefix}*`)),
      )
    }
    this.acceptPrefixWildcards(bucket, access)
    if (objects.put !== undefined) return this.allowKey('s3', 'write')
    return objects.get === undefined ? this : this.allowKey('s3', 'read')
  }

  /** Allows using the key of the option keyArn through a service of AWS; nothing without the option. */
  allowKey(service: KeyService, use: keyof typeof KEY_USES): this {
    if (this.keyArn === undefined) return this
    return this.allow([...KEY_USES[use]], [this.keyArn], viaService(this, service))
  }

  /** Allows reading a secret of the deployer, which may be encrypted with a key of theirs. */
  private allowSecret(arn: string, { keyArns = '' }: Config): void {
    this.allow(['secretsmanager:GetSecretValue'], [arn])
    if (keyArns !== '') this.allow(['kms:Decrypt'], keyArns.split(','))
  }

  private acceptPrefixWildcards(
    bucket: Bucket,
    { get = [], put = [], delete: deletable = [] }: LakeAccess,
  ): void {
    const id = Stack.of(this).getLogicalId(bucket.node.defaultChild as CfnBucket)
    for (const prefix of new Set([...get, ...put, ...deletable])) {
      acceptFindings(this, {
        [`AwsSolutions-IAM5[Resource::<${id}.Arn>/${prefix}*]`]: `Objects under ${prefix} come and go, so the right names this prefix of this bucket.`,
      })
    }
  }
}

function runsDuckdb(name: FunctionName): boolean {
  return DUCKDB_FUNCTIONS.some(each => each === name)
}
