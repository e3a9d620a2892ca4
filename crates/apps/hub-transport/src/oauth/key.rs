//! Keys, and the JSON Web Tokens that they sign.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::{
    rand::{SecureRandom as _, SystemRandom},
    signature::{
        ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair,
        RSA_PKCS1_SHA256, RSA_PKCS1_SHA384, RSA_PKCS1_SHA512, RSA_PSS_SHA256, RSA_PSS_SHA384, RSA_PSS_SHA512,
        RsaEncoding, RsaKeyPair,
    },
};
use rustls::pki_types::{PrivateKeyDer, pem::PemObject as _};
use serde_json::Value;

/// A private key that signs for a client.
pub struct SigningKey(Pair);

enum Pair {
    P256(EcdsaKeyPair),
    P384(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
    Rsa(RsaKeyPair),
}

impl SigningKey {
    /// Reads a key in PEM: PKCS#8 with P-256, P-384, Ed25519 or RSA of 2048 bits or more, or an RSA key in PKCS#1.
    ///
    /// The key decides the algorithm: ES256, ES384, EdDSA, or of RS256, PS256, RS384, PS384, RS512 and PS512 the first
    /// that the authorization server accepts.
    ///
    /// # Errors
    ///
    /// If the text is not a private key in PEM, or the key is of an unsupported kind.
    pub fn from_pem(pem: &str) -> Result<Self, KeyError> {
        let key = PrivateKeyDer::from_pem_slice(pem.as_bytes()).map_err(|_| KeyError::NotPem)?;
        let pair = match &key {
            PrivateKeyDer::Pkcs8(key) => pkcs8(key.secret_pkcs8_der()),
            PrivateKeyDer::Pkcs1(key) => RsaKeyPair::from_der(key.secret_pkcs1_der()).ok().map(Pair::Rsa),
            _ => None,
        };
        pair.map(Self).ok_or(KeyError::Unsupported)
    }

    /// Returns the algorithms of the key, the preferred one first.
    pub(super) fn algorithms(&self) -> &'static [&'static str] {
        match self.0 {
            Pair::P256(_) => &["ES256"],
            Pair::P384(_) => &["ES384"],
            Pair::Ed25519(_) => &["EdDSA"],
            Pair::Rsa(_) => &["RS256", "PS256", "RS384", "PS384", "RS512", "PS512"],
        }
    }

    /// Signs with one of [`Self::algorithms`]; `None` if the system has no random numbers.
    fn sign(&self, algorithm: &str, message: &[u8]) -> Option<Vec<u8>> {
        let random = SystemRandom::new();
        match &self.0 {
            Pair::P256(pair) | Pair::P384(pair) => Some(pair.sign(&random, message).ok()?.as_ref().to_vec()),
            Pair::Ed25519(pair) => Some(pair.sign(message).as_ref().to_vec()),
            Pair::Rsa(pair) => {
                let encoding: &'static dyn RsaEncoding = match algorithm {
                    "PS256" => &RSA_PSS_SHA256,
                    "RS384" => &RSA_PKCS1_SHA384,
                    "PS384" => &RSA_PSS_SHA384,
                    "RS512" => &RSA_PKCS1_SHA512,
                    "PS512" => &RSA_PSS_SHA512,
                    _ => &RSA_PKCS1_SHA256,
                };
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(encoding, &random, message, &mut signature).ok()?;
                Some(signature)
            }
        }
    }

    /// Signs claims as a JSON Web Token. `header` contains the type (`typ`) and other members except `alg`.
    pub(super) fn token(&self, algorithm: &str, mut header: Value, claims: &Value) -> Option<String> {
        header["alg"] = algorithm.into();
        let text = format!("{}.{}", encoded(header.to_string()), encoded(claims.to_string()));
        let signature = self.sign(algorithm, text.as_bytes())?;
        Some(format!("{text}.{}", encoded(signature)))
    }
}

impl SigningKey {
    /// Creates a key for proofs of possession (ES256), in PKCS#8; `None` if the system has no random numbers.
    pub(super) fn generate() -> Option<Vec<u8>> {
        let made = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new());
        Some(made.ok()?.as_ref().to_vec())
    }

    /// Reads a key of [`Self::generate`], and returns its public part as a JSON Web Key.
    pub(super) fn generated(pkcs8: &[u8]) -> Option<(Self, Value)> {
        let pair =
            EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, pkcs8, &SystemRandom::new()).ok()?;
        let public = ring::signature::KeyPair::public_key(&pair).as_ref();
        // An uncompressed point: one byte as a mark, then both coordinates.
        let (x, y) = public.get(1..)?.split_at_checked(32)?;
        let jwk = serde_json::json!({"kty": "EC", "crv": "P-256", "x": encoded(x), "y": encoded(y)});
        Some((Self(Pair::P256(pair)), jwk))
    }
}

fn pkcs8(der: &[u8]) -> Option<Pair> {
    let random = SystemRandom::new();
    if let Ok(pair) = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, der, &random) {
        return Some(Pair::P256(pair));
    }
    if let Ok(pair) = EcdsaKeyPair::from_pkcs8(&ECDSA_P384_SHA384_FIXED_SIGNING, der, &random) {
        return Some(Pair::P384(pair));
    }
    // OpenSSL leaves out the public half, so it can't be checked.
    if let Ok(pair) = Ed25519KeyPair::from_pkcs8_maybe_unchecked(der) {
        return Some(Pair::Ed25519(pair));
    }
    RsaKeyPair::from_pkcs8(der).ok().map(Pair::Rsa)
}

/// Returns a unique identifier (`jti`); `None` if the system has no random numbers.
pub(super) fn unique() -> Option<String> {
    let mut bytes = [0; 16];
    SystemRandom::new().fill(&mut bytes).ok()?;
    Some(encoded(bytes))
}

/// Encodes as base64url without padding.
pub(super) fn encoded(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningKey")
    }
}

/// The reason why a private key can't be used. The text contains nothing of the key.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The text is not a private key in PEM.
    #[error("the text is not a private key in PEM")]
    NotPem,
    /// The key is of an unsupported kind.
    #[error(
        "the private key must be PKCS#8 with P-256, P-384, Ed25519 or RSA of 2048 bits or more; \
         `openssl pkcs8 -topk8 -nocrypt` converts other forms"
    )]
    Unsupported,
}

#[cfg(test)]
mod tests {
    use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
    use ring::signature::{self, KeyPair as _, UnparsedPublicKey, VerificationAlgorithm};
    use serde_json::{Value, json};

    use super::{KeyError, Pair, SigningKey};

    const P256: &str = include_str!("../../tests/it/keys/p256.pem");
    const P384: &str = include_str!("../../tests/it/keys/p384.pem");
    const ED25519: &str = include_str!("../../tests/it/keys/ed25519.pem");
    const RSA: &str = include_str!("../../tests/it/keys/rsa.pem");
    const RSA_PKCS1: &str = include_str!("../../tests/it/keys/rsa-pkcs1.pem");

    fn public(key: &SigningKey) -> Vec<u8> {
        match &key.0 {
            Pair::P256(pair) | Pair::P384(pair) => pair.public_key().as_ref().to_vec(),
            Pair::Ed25519(pair) => pair.public_key().as_ref().to_vec(),
            Pair::Rsa(pair) => pair.public_key().as_ref().to_vec(),
        }
    }

    fn verification(algorithm: &str) -> &'static dyn VerificationAlgorithm {
        match algorithm {
            "ES256" => &signature::ECDSA_P256_SHA256_FIXED,
            "ES384" => &signature::ECDSA_P384_SHA384_FIXED,
            "EdDSA" => &signature::ED25519,
            "RS256" => &signature::RSA_PKCS1_2048_8192_SHA256,
            "RS384" => &signature::RSA_PKCS1_2048_8192_SHA384,
            "RS512" => &signature::RSA_PKCS1_2048_8192_SHA512,
            "PS256" => &signature::RSA_PSS_2048_8192_SHA256,
            "PS384" => &signature::RSA_PSS_2048_8192_SHA384,
            "PS512" => &signature::RSA_PSS_2048_8192_SHA512,
            other => panic!("{other}"),
        }
    }

    #[test]
    fn every_kind_of_key_signs_with_each_of_its_algorithms() {
        for pem in [P256, P384, ED25519, RSA, RSA_PKCS1] {
            let key = SigningKey::from_pem(pem).unwrap();
            for algorithm in key.algorithms() {
                let token = key.token(algorithm, json!({"typ": "JWT"}), &json!({"sub": "a"})).unwrap();
                let (text, signature) = token.rsplit_once('.').unwrap();
                let parts: Vec<Value> = text
                    .split('.')
                    .map(|part| serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap())
                    .collect();
                assert_eq!(parts, [json!({"typ": "JWT", "alg": algorithm}), json!({"sub": "a"})]);
                UnparsedPublicKey::new(verification(algorithm), public(&key))
                    .verify(text.as_bytes(), &URL_SAFE_NO_PAD.decode(signature).unwrap())
                    .unwrap_or_else(|_| panic!("{algorithm}"));
            }
        }
    }

    #[test]
    fn unusable_key_is_refused_without_being_shown() {
        assert_eq!(SigningKey::from_pem("secret").unwrap_err(), KeyError::NotPem);
        let sec1 = include_str!("../../tests/it/keys/p256-sec1.pem");
        assert_eq!(SigningKey::from_pem(sec1).unwrap_err(), KeyError::Unsupported);
        let broken = P256.replace("MIGH", "MIGI");
        assert_eq!(SigningKey::from_pem(&broken).unwrap_err(), KeyError::Unsupported);
        assert_eq!(format!("{:?}", SigningKey::from_pem(P256).unwrap()), "SigningKey");
    }

    #[test]
    fn generated_key_is_read_again() {
        let made = SigningKey::generate().unwrap();
        let (_, jwk) = SigningKey::generated(&made).unwrap();
        assert_eq!(SigningKey::generated(&made).unwrap().1, jwk);
        assert!(jwk.get("d").is_none(), "{jwk}");
    }
}
