/**
 * Starts MiniStack, with two additions: `cdk import` of a stream and of a secret, which its CloudFormation
 * refuses ("not supported by this emulator"). They register the resource as it is, as the emulator does for
 * tables. A secret is found by its ARN or by its name, because the emulator's physical id is the name.
 */
export const MINISTACK_PROGRAM = `
import sys
from ministack.app import main
from ministack.services.cloudformation import provisioners
from ministack.services import kinesis, secretsmanager

def import_stream(identifier):
    stream = kinesis._streams[identifier['Name']]
    return stream['StreamName'], {'Arn': stream['StreamARN']}

def import_secret(identifier):
    secrets = secretsmanager._secrets
    wanted = identifier['Id']
    [secret] = [each for each in secrets.values() if wanted in (each['Name'], each['ARN'])]
    return secret['Name'], {'Id': secret['ARN'], 'Arn': secret['ARN']}

provisioners._RESOURCE_HANDLERS['AWS::Kinesis::Stream']['import'] = import_stream
provisioners._RESOURCE_HANDLERS['AWS::SecretsManager::Secret']['import'] = import_secret
sys.argv = ['ministack']
sys.exit(main())
`
