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
import type { Queue } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import { tables } from '#schemas/columns'
import { type FunctionName, functions } from '#schemas/functions'
import { acknowledge } from './acknowledge.ts'
import type { Catalog } from './catalog.ts'
import type { Config } from './config.ts'
import { functionSizes } from './function-sizes.ts'
import { RESULTS_PREFIX } from './storage.ts'

export type ServiceFunctionProps = {
  name: FunctionName
  /** Folder of the bundle (lib/bundles.ts). */
  folder: string
  config: Config
}

/** Actions on single items and on the items of one key; no function scans the table. */
export type TableAction = 'GetItem' | 'BatchGetItem' | 'Query' | 'PutItem' | 'UpdateItem' | 'DeleteItem'

/** Prefixes of the bucket, by what may be done with the objects below them. */
export type LakeAccess = { list?: string[]; get?: string[]; put?: string[]; delete?: string[] }

type Conditions = Record<string, Record<string, string[]>>

/**
 * A function of schemas/functions.ts with a role and a log of its own. Each `bind…` gives it something to work with: it
 * sets the setting and allows the actions in one call. A synthesis stops when the settings of a function are not exactly
 * those of its schema.
 */
export class ServiceFunction extends Construct {
  readonly name: FunctionName
  readonly lambda: LambdaFunction
  private readonly settings = new Set<string>()

  constructor(scope: Construct, id: string, { name, folder, config }: ServiceFunctionProps) {
    super(scope, id)
    this.name = name
    const { description, memoryMb, timeoutSeconds, diskMb } = functionSizes[name]
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') })
    const logGroup = new LogGroup(this, 'Log', {
      retention: config.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    })
    logGroup.grantWrite(role)
    this.lambda = new LambdaFunction(this, 'Function', {
      description: `Footfall: ${description}`,
      code: Code.fromAsset(folder),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: config.architecture === 'arm64' ? Architecture.ARM_64 : Architecture.X86_64,
      memorySize: memoryMb,
      timeout: Duration.seconds(timeoutSeconds),
      ...(diskMb !== undefined && { ephemeralStorageSize: Size.mebibytes(diskMb) }),
      role,
      logGroup,
      // Without the three lines that Lambda writes for each call: they would be most of the log, and of its cost.
      loggingFormat: LoggingFormat.JSON,
      systemLogLevelV2: SystemLogLevel.WARN,
      // Metrics are lines without a level, which count as INFO; above it Lambda would drop them. So it is aws/instruments.ts
      // that leaves out lines of INFO where they are not wanted.
      applicationLogLevelV2:
        config.logLevel === 'DEBUG' ? ApplicationLogLevel.DEBUG : ApplicationLogLevel.INFO,
      tracing: config.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
    })
    if (config.tracing) {
      acknowledge(role, {
        'AwsSolutions-IAM5[Resource::*]':
          'PutTraceSegments and PutTelemetryRecords of X-Ray know no resources.',
      })
    }
    this.set('POWERTOOLS_SERVICE_NAME', name)
    this.set('POWERTOOLS_METRICS_NAMESPACE', config.stackName)
    this.set('POWERTOOLS_LOG_LEVEL', config.logLevel)
    this.node.addValidation({ validate: () => this.badSettings() })
  }

  /** Items of the state table, by the actions that the function's code calls. */
  bindTable(table: Table, actions: readonly TableAction[]): this {
    this.allow(
      actions.map(action => `dynamodb:${action}`),
      [table.tableArn],
    )
    return this.set('TABLE_NAME', table.tableName)
  }

  bindStreamWriter({ streamArn }: Stream): this {
    this.allow(['kinesis:PutRecords'], [streamArn])
    return this.set('STREAM_ARN', streamArn)
  }

  /**
   * What an event source mapping needs, and what re-reads a claimed range. ListStreams says nothing of one stream, but
   * Lambda names it among the rights that it misses when it refuses a mapping.
   */
  bindStreamReader({ streamArn }: Stream): this {
    const actions = [
      'DescribeStream',
      'DescribeStreamSummary',
      'GetRecords',
      'GetShardIterator',
      'ListShards',
      'ListStreams',
    ]
    this.allow(
      actions.map(action => `kinesis:${action}`),
      [streamArn],
    )
    return this.set('STREAM_ARN', streamArn)
  }

  /** Objects of the lake below prefixes, which end with a slash. */
  bindLake(bucket: Bucket, access: LakeAccess): this {
    this.allowObjects(bucket, access)
    return this.set('BUCKET_NAME', bucket.bucketName)
  }

  bindJobQueue(queue: Queue): this {
    this.allow(['sqs:SendMessage'], [queue.queueArn])
    return this.set('JOB_QUEUE_URL', queue.queueUrl)
  }

  /** Statements over the lake's tables: Athena reads and writes with the rights of who starts them. */
  bindCatalog({ name, tables: names }: Catalog, bucket: Bucket): this {
    const arn = (service: string, resource: string) => Stack.of(this).formatArn({ service, resource })
    this.allow(
      ['StartQueryExecution', 'GetQueryExecution', 'GetQueryResults', 'StopQueryExecution'].map(
        action => `athena:${action}`,
      ),
      [arn('athena', `workgroup/${name}`)],
    )
    // Athena looks at the database `default` whatever database the statement names.
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
    const readable = [...lake, RESULTS_PREFIX]
    this.allowObjects(bucket, { list: readable, get: readable, put: [RESULTS_PREFIX] })
    this.allow(
      ['s3:AbortMultipartUpload', 's3:ListMultipartUploadParts'],
      [bucket.arnForObjects(`${RESULTS_PREFIX}*`)],
    )
    this.allow(['s3:GetBucketLocation', 's3:ListBucketMultipartUploads'], [bucket.bucketArn])
    return this.set('ATHENA_WORKGROUP', name).set('GLUE_DATABASE', name)
  }

  /** A setting by its name in schemas/functions.ts. */
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
   * A listing is of prefixes alone. S3 asks for the same right where an object that is got is not there, its key in the
   * prefix's place: without it the answer is 403 instead of 404.
   */
  allowObjects(bucket: Bucket, access: LakeAccess): this {
    const { list = [], ...objects } = access
    if (list.length > 0) {
      const within = list.map(prefix => `${prefix}*`)
      this.allow(['s3:ListBucket'], [bucket.bucketArn], { StringLike: { 's3:prefix': within } })
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
    this.acknowledgePrefixes(bucket, access)
    return this
  }

  private acknowledgePrefixes(bucket: Bucket, { get = [], put = [], delete: gone = [] }: LakeAccess): void {
    const id = Stack.of(this).getLogicalId(bucket.node.defaultChild as CfnBucket)
    for (const prefix of new Set([...get, ...put, ...gone])) {
      acknowledge(this, {
        [`AwsSolutions-IAM5[Resource::<${id}.Arn>/${prefix}*]`]: `The objects of ${prefix} are many and come and go: the right is to that prefix of this bucket alone.`,
      })
    }
  }

  private badSettings(): string[] {
    const wanted = Object.keys(functions[this.name].shape)
    const missing = wanted.filter(setting => !this.settings.has(setting))
    const unknown = [...this.settings].filter(setting => !wanted.includes(setting))
    return [
      ...missing.map(setting => `${this.name} is not given its setting ${setting}`),
      ...unknown.map(setting => `${this.name} has no setting ${setting} in schemas/functions.ts`),
    ]
  }
}
