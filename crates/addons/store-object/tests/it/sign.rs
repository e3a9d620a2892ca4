//! Signatures for S3, so that the tests need no cryptography library.

use object_store::client::{
    CryptoProvider, DigestAlgorithm, DigestContext, HmacContext, Signer, SigningAlgorithm,
};
use object_store::{Error, Result};
use sha2::{Digest as _, Sha256};

/// SHA-256, and HMAC with it (RFC 2104).
#[derive(Debug)]
pub(crate) struct Sha2;

impl CryptoProvider for Sha2 {
    fn digest(&self, _: DigestAlgorithm) -> Result<Box<dyn DigestContext>> {
        Ok(Box::new(Plain { running: Sha256::new(), done: [0; 32] }))
    }

    fn hmac(&self, _: DigestAlgorithm, secret: &[u8]) -> Result<Box<dyn HmacContext>> {
        let mut key = [0; BLOCK];
        if secret.len() > BLOCK {
            key[..32].copy_from_slice(&Sha256::digest(secret));
        } else {
            key[..secret.len()].copy_from_slice(secret);
        }
        let inner = Sha256::new_with_prefix(key.map(|byte| byte ^ 0x36));
        Ok(Box::new(Keyed { inner, outer: key.map(|byte| byte ^ 0x5c), done: [0; 32] }))
    }

    fn sign(&self, _: SigningAlgorithm, _: &[u8]) -> Result<Box<dyn Signer>> {
        Err(Error::NotSupported { source: "S3 signs with a shared key".into() })
    }
}

struct Plain {
    running: Sha256,
    done: [u8; 32],
}

impl DigestContext for Plain {
    fn update(&mut self, data: &[u8]) {
        self.running.update(data);
    }

    fn finish(&mut self) -> Result<&[u8]> {
        self.done = self.running.finalize_reset().into();
        Ok(&self.done)
    }
}

struct Keyed {
    inner: Sha256,
    outer: [u8; BLOCK],
    done: [u8; 32],
}

impl HmacContext for Keyed {
    fn update(&mut self, data: &[u8]) {
        self.inner.update(data);
    }

    fn finish(&mut self) -> Result<&[u8]> {
        let inner = self.inner.finalize_reset();
        self.done = Sha256::new_with_prefix(self.outer).chain_update(inner).finalize().into();
        Ok(&self.done)
    }
}

const BLOCK: usize = 64;

/// The first and sixth cases of RFC 4231: a short key, and one longer than a block.
#[test]
fn hmac_matches_the_standard() {
    for (key, data, begins) in [
        (vec![0x0b; 20], "Hi There", "b0344c61d8db3853"),
        (vec![0xaa; 131], "Test Using Larger Than Block-Size Key - Hash Key First", "60e431591ee0b67f"),
    ] {
        let mut hmac = Sha2.hmac(DigestAlgorithm::Sha256, &key).unwrap();
        hmac.update(data.as_bytes());
        let hex: String = hmac.finish().unwrap().iter().map(|byte| format!("{byte:02x}")).collect();
        assert!(hex.starts_with(begins), "{hex}");
    }
}
