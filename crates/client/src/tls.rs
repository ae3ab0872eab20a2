//! TLS: rustls over graviola's cryptography, which is Rust and assembler and needs no C compiler.
//!
//! Certificates are checked against the system's store, or against the one file that the configuration names.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::CryptoProvider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// What TLS connections are made with; the certificates are read when the first one is made.
pub(crate) struct Tls {
    bundle: Option<PathBuf>,
    connector: OnceLock<Result<TlsConnector, String>>,
}

impl Tls {
    /// Trusts what a file of certificates says, or else the system.
    pub(crate) fn new(bundle: Option<PathBuf>) -> Self {
        Self {
            bundle,
            connector: OnceLock::new(),
        }
    }

    /// TLS over a connection to `host`, whose certificate has to name it.
    pub(crate) async fn wrap(
        &self,
        host: &str,
        stream: TcpStream,
    ) -> io::Result<TlsStream<TcpStream>> {
        let connector = self
            .connector
            .get_or_init(|| connector(self.bundle.as_deref()));
        let connector = connector
            .as_ref()
            .map_err(|problem| io::Error::other(problem.clone()))?;
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        connector.connect(name, stream).await
    }
}

fn connector(bundle: Option<&Path>) -> Result<TlsConnector, String> {
    let roots = match bundle {
        Some(path) => from_file(path)?,
        None => from_system()?,
    };
    let config = ClientConfig::builder_with_provider(Arc::new(provider()?))
        .with_safe_default_protocol_versions()
        .map_err(|e| e.to_string())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}

fn from_file(path: &Path) -> Result<RootCertStore, String> {
    let wrong = |e: &dyn std::fmt::Display| format!("certificates of {}: {e}", path.display());
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(path).map_err(|e| wrong(&e))? {
        let certificate = certificate.map_err(|e| wrong(&e))?;
        roots.add(certificate).map_err(|e| wrong(&e))?;
    }
    if roots.is_empty() {
        return Err(wrong(&"there are none"));
    }
    Ok(roots)
}

fn from_system() -> Result<RootCertStore, String> {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    // A system's store may hold certificates that no longer parse; the rest serves.
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        let reason = found
            .errors
            .first()
            .map(|e| format!(": {e}"))
            .unwrap_or_default();
        return Err(format!(
            "the system has no certificates to check the server's against{reason}; \
             AWS_CA_BUNDLE can name a file of them"
        ));
    }
    Ok(roots)
}

#[cfg(target_arch = "x86_64")]
fn provider() -> Result<CryptoProvider, String> {
    // What graviola needs; without it, it would panic. Every x86-64 processor of the last ten years has it.
    let able = std::arch::is_x86_feature_detected!("aes")
        && std::arch::is_x86_feature_detected!("pclmulqdq")
        && std::arch::is_x86_feature_detected!("bmi1")
        && std::arch::is_x86_feature_detected!("adx")
        && std::arch::is_x86_feature_detected!("avx")
        && std::arch::is_x86_feature_detected!("avx2");
    if able {
        Ok(rustls_graviola::default_provider())
    } else {
        Err("https needs a processor with AES, ADX, AVX2, BMI1 and PCLMULQDQ".to_owned())
    }
}

#[cfg(target_arch = "aarch64")]
fn provider() -> Result<CryptoProvider, String> {
    let able = std::arch::is_aarch64_feature_detected!("aes")
        && std::arch::is_aarch64_feature_detected!("sha2")
        && std::arch::is_aarch64_feature_detected!("pmull")
        && std::arch::is_aarch64_feature_detected!("neon");
    if able {
        Ok(rustls_graviola::default_provider())
    } else {
        Err("https needs a processor with AES, SHA2 and PMULL".to_owned())
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn provider() -> Result<CryptoProvider, String> {
    Err("https is not there for this kind of processor".to_owned())
}
