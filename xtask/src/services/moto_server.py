"""moto's S3 server on a port of its own choice, with one user whose key is asked for, and one bucket.

One line of its output, as JSON after `ready `, says how to reach it.
"""

import json
import threading
import urllib.request

import boto3
from moto.server import ThreadedMotoServer

server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
url = "http://%s:%s" % server.get_host_and_port()
at = {
    "endpoint_url": url,
    "region_name": "us-east-1",
    "aws_access_key_id": "nobody",
    "aws_secret_access_key": "nothing",
}
iam = boto3.client("iam", **at)
iam.create_user(UserName="tests")
allowed = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}
iam.put_user_policy(UserName="tests", PolicyName="all", PolicyDocument=json.dumps(allowed))
key = iam.create_access_key(UserName="tests")["AccessKey"]
boto3.client("s3", **at).create_bucket(Bucket="sessions")
# From here on every request must be signed with that key.
text = {"Content-Type": "text/plain"}
urllib.request.urlopen(urllib.request.Request(url + "/moto-api/reset-auth", b"0", text)).read()
said = {"url": url, "bucket": "sessions", "key": key["AccessKeyId"], "secret": key["SecretAccessKey"]}
print("ready " + json.dumps(said), flush=True)
threading.Event().wait()
