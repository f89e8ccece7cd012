#include "kafka/key_stores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include <cstdio>
#include <memory>

namespace fencepost::kafka {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

template <auto Free>
struct Freed {
  template <class T>
  void operator()(T* p) const {
    Free(p);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using Store = std::unique_ptr<PKCS12, Freed<PKCS12_free>>;
using File = std::unique_ptr<std::FILE, Freed<std::fclose>>;

/// A self-signed certificate and its key, and files that hold them.
class KeyStores : public testing::Test {
 protected:
  KeyStores() : key_(EVP_RSA_gen(2048)), certificate_(X509_new()) {
    ASN1_INTEGER_set(X509_get_serialNumber(certificate_.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate_.get()), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate_.get()), 3'600);
    X509_set_pubkey(certificate_.get(), key_.get());
    X509_sign(certificate_.get(), key_.get(), EVP_sha256());
  }

  /// A trust store: certificates without a key.
  std::string trust_store(const char* password) {
    STACK_OF(X509)* others = sk_X509_new_null();
    sk_X509_push(others, certificate_.get());
    const Store store(PKCS12_create(password, nullptr, nullptr, nullptr, others, 0, 0, 0, 0, 0));
    sk_X509_free(others);
    return write("trust.p12", *store);
  }
  std::string key_store(const char* password) {
    const Store store(PKCS12_create(password, "me", key_.get(), certificate_.get(), nullptr, 0, 0, 0, 0, 0));
    return write("key.p12", *store);
  }
  std::string pem_file() {
    const std::string path = testing::TempDir() + "both.pem";
    const File file(std::fopen(path.c_str(), "w"));
    PEM_write_PrivateKey(file.get(), key_.get(), nullptr, nullptr, 0, nullptr, nullptr);
    PEM_write_X509(file.get(), certificate_.get());
    return path;
  }

 private:
  static std::string write(const char* name, PKCS12& store) {
    const std::string path = testing::TempDir() + name;
    const File file(std::fopen(path.c_str(), "w"));
    i2d_PKCS12_fp(file.get(), &store);
    return path;
  }

  Key key_;
  Certificate certificate_;
};

TEST_F(KeyStores, APkcs12TrustStoreBecomesPem) {
  std::map<std::string, std::string> settings;
  // Java's default type is JKS, and it reads PKCS12 under it all the same.
  const auto result = translate_key_stores(
      {{"ssl.truststore.location", trust_store("pw")}, {"ssl.truststore.password", "pw"}, {"ssl.truststore.type", "JKS"}},
      settings);
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_THAT(settings["ssl.ca.pem"], StartsWith("-----BEGIN CERTIFICATE-----"));
}

TEST_F(KeyStores, AWrongPasswordIsNamedByItsSettingOnly) {
  std::map<std::string, std::string> settings;
  const auto result =
      translate_key_stores({{"ssl.truststore.location", trust_store("pw")}, {"ssl.truststore.password", "wr0ng"}}, settings);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message(), HasSubstr("check ssl.truststore.password"));
  EXPECT_THAT(result.error().message(), testing::Not(HasSubstr("wr0ng")));
}

TEST_F(KeyStores, APkcs12KeyStoreIsHandedOnAsItIs) {
  std::map<std::string, std::string> settings;
  const std::string path = key_store("pw");
  ASSERT_TRUE(translate_key_stores({{"ssl.keystore.location", path}, {"ssl.keystore.password", "pw"}}, settings));
  EXPECT_EQ(settings["ssl.keystore.location"], path);
  EXPECT_EQ(settings["ssl.keystore.password"], "pw");
}

TEST_F(KeyStores, OnePemFileGivesKeyChainAndTrust) {
  std::map<std::string, std::string> settings;
  const std::string path = pem_file();
  ASSERT_TRUE(translate_key_stores({{"ssl.keystore.location", path}, {"ssl.truststore.location", path}}, settings));
  EXPECT_EQ(settings["ssl.key.location"], path);
  EXPECT_EQ(settings["ssl.certificate.location"], path);
  EXPECT_EQ(settings["ssl.ca.location"], path);
}

}  // namespace
}  // namespace fencepost::kafka
